// A host of a few lines on the TypeScript SDK: PACKAGES SERVER MODEL. It asks the model what to call and hands over what came
// of it, the text alone where the SDK is old, the data alone where it is new.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [packages, reached, model] = [process.argv[2], JSON.parse(process.argv[3]), process.argv[4]];
const from = createRequire(`${packages}/package.json`);
const load = async (name) => import(pathToFileURL(from.resolve(name)).href);
const first = async (...names) => {
  for (const name of names) { try { return await load(name); } catch (error) { if (!/NOT_EXPORTED|NOT_FOUND|Cannot find/.test(`${error.code} ${error.message}`)) throw error; } }
  throw new Error(`none of ${names} is installed`);
};
const { Client } = await first('@modelcontextprotocol/client', '@modelcontextprotocol/sdk/client/index.js');
let transport;
if (reached.command) {
  const { StdioClientTransport } = await first('@modelcontextprotocol/client/stdio', '@modelcontextprotocol/sdk/client/stdio.js');
  transport = new StdioClientTransport({ command: reached.command, args: reached.args });
} else {
  const { StreamableHTTPClientTransport } = await first('@modelcontextprotocol/client', '@modelcontextprotocol/sdk/client/streamableHttp.js');
  transport = new StreamableHTTPClientTransport(new URL(reached.url));
}
const client = new Client({ name: 'sdk-host', version: '1' });
await client.connect(transport);
const { tools } = await client.listTools();
const offered = tools.map(({ name, description, inputSchema }) => ({ type: 'function', function: { name, description, parameters: inputSchema } }));
const messages = [{ role: 'user', content: 'Play a game.' }];
const dataOnly = !packages.endsWith('ts-old');
for (;;) {
  const answer = await fetch(`${model}/v1/chat/completions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ model: 'stub', messages, tools: offered }) });
  const { message } = (await answer.json()).choices[0];
  messages.push(message);
  if (!message.tool_calls) { console.log(message.content); break; }
  for (const call of message.tool_calls) {
    const result = await client.callTool({ name: call.function.name, arguments: JSON.parse(call.function.arguments) });
    const text = result.content.map((part) => part.text || '').join('\n');
    messages.push({ role: 'tool', tool_call_id: call.id, content: dataOnly && !result.isError ? JSON.stringify(result.structuredContent) : text });
  }
}
await client.close();
