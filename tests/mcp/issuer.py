"""An authorisation server of a few lines, for checks: registers clients, says yes to everybody, signs tokens."""

import base64
import hashlib
import json
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa


class Issuer:
    """The server while it is entered."""

    def __enter__(self):
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.codes, self.fetched = {}, 0
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def reply(self, body, status=200):
                body = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):  # noqa: N802 the name is the library's
                path = urlsplit(self.path)
                if path.path == "/.well-known/oauth-authorization-server":
                    return self.reply(issuer.metadata())
                if path.path == "/keys":
                    issuer.fetched += 1
                    public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(issuer.key.public_key()))
                    return self.reply({"keys": [{**public, "kid": "one", "use": "sig", "alg": "RS256"}]})
                if path.path == "/authorize":
                    asked = {name: values[0] for name, values in parse_qs(path.query).items()}
                    code = uuid.uuid4().hex
                    issuer.codes[code] = asked
                    self.send_response(302)
                    self.send_header("Location", f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked.get('state', ''), 'iss': issuer.url})}")
                    self.send_header("Content-Length", "0")
                    return self.end_headers()
                return self.reply({}, 404)

            def do_POST(self):  # noqa: N802 the name is the library's
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.path == "/register":
                    return self.reply({**json.loads(body), "client_id": uuid.uuid4().hex, "client_id_issued_at": int(time.time())}, 201)
                given = {name: values[0] for name, values in parse_qs(body.decode()).items()}
                asked = issuer.codes.pop(given.get("code"), None)
                proof = base64.urlsafe_b64encode(hashlib.sha256(given.get("code_verifier", "").encode()).digest()).rstrip(b"=").decode()
                if not asked or proof != asked["code_challenge"]:
                    return self.reply({"error": "invalid_grant"}, 400)
                return self.reply({"access_token": issuer.token(asked["resource"]), "token_type": "Bearer", "expires_in": 600})

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def metadata(self):
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "registration_endpoint": f"{self.url}/register",
            "jwks_uri": f"{self.url}/keys",
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none", "client_secret_post"],
            "authorization_response_iss_parameter_supported": True,
        }

    def token(self, audience, subject="alice-7", key=None, **more):
        claims = {"iss": self.url, "sub": subject, "aud": audience, "exp": int(time.time()) + 600, "preferred_username": "Alice", **more}
        return jwt.encode(claims, key or self.key, algorithm="RS256", headers={"kid": "one"})
