/* What happened, in words, English and Chinese: StandoffWords.of(language). */
var StandoffWords = (function () {
  'use strict';

  const cell = (at) => `(${at[0]}, ${at[1]})`;
  const plural = (number, one, many) => `${number} ${number === 1 ? one : many}`;

  const en = {
    ways: {
      up: 'up', down: 'down', left: 'left', right: 'right', north: 'north', south: 'south', east: 'east', west: 'west',
      'north-east': 'north-east', 'north-west': 'north-west', 'south-east': 'south-east', 'south-west': 'south-west',
    },
    verbs: { move: 'Move', shield: 'Shield', shoot: 'Shoot', speak: 'Say', stay: 'Stay', hold: 'Hold fire' },
    action: (verb, way) => (way ? `${verb} ${way}` : verb),
    reasons: {
      last_alive: 'only one is left', round_limit: 'the last round is played', turn_limit: 'the last turn is played',
      all_dead: 'nobody is left', forfeit: 'decided by forfeit',
    },
    kinds: { health: 'health', damage: 'more damage' },
    list: (seats) => (seats.length > 1 ? `${seats.slice(0, -1).join(', ')} and ${seats[seats.length - 1]}` : seats.join('')),
    join: ' ',
    quoted: (text) => `“${text}”`,
    moved: (e, who) => `${who} moves to ${cell(e.to)}.`,
    shielded: (e, who, way) => `${who} turns the shield ${way}.`,
    fires: (e, who, way) => (e.entry ? `${who} shoots ${way} into ${cell(e.entry)}.` : `${who} shoots ${way}.`),
    beam: (beam, way, tee) => {
      const sweep = tee ? `The sweep ${way}` : 'The beam';
      const hit = beam.hit || {};
      if (hit.kind === 'edge') return `${sweep} meets nothing.`;
      if (hit.kind === 'wall') return `${sweep} stops at the wall on ${cell(beam.to)}.`;
      if (hit.kind === 'block') return hit.left ? `${sweep} hits the block on ${cell(beam.to)}, ${hit.left} left.` : `${sweep} breaks the block on ${cell(beam.to)}.`;
      return hit.blocked ? `${sweep} hits ${hit.seat}: the shield holds.` : `${sweep} hits ${hit.seat}: ${hit.hp} HP left.`;
    },
    spoke: (who, text) => `${who} says: “${text}”`,
    passed: (who) => `${who} does nothing.`,
    stand_in: (who) => `${who} gave no action: the referee draws one.`,
    forfeited: (who) => `${who} forfeits.`,
    eliminated: (e, who) => `${who} is out${e.by ? `, shot by ${e.by}` : ''}${e.place ? `: place ${e.place}` : ''}.`,
    bumped: (who, to) => `${who} bumps into somebody${to ? ` on ${to}` : ''} and goes back.`,
    blocked: (who, way) => `${who} cannot go ${way}.`,
    painted: (e, who, way) => `${who} shoots ${way} and paints ${plural(e.cells.length, 'square', 'squares')}.`,
    bullet: (e, who, way) => `${who} shoots ${way}: ${e.hit ? `${e.hit} is hit` : 'nobody is hit'}.`,
    damage: (e, who) => `${who} loses ${e.amount} HP ${e.source === 'zone' ? 'outside the zone' : 'to bullets'}: ${e.hp} left.`,
    kill: (e, who, by) => `${who} is shot down by ${by}.`,
    pickup: (who, kind) => `${who} takes a power-up: ${kind}.`,
    spawn: (at, kind) => `A power-up appears on ${at}: ${kind}.`,
    ended: (reason, places) => `The match is over: ${reason}. ${places}`,
    place: (seat, place) => `${seat} ${place}`,
    places: (all) => `Places: ${all.join(', ')}.`,
    ui: {
      board: (name, turn) => `Board of ${name} after turn ${turn}`,
      round: (n) => `Round ${n}`, turn: (n) => `Turn ${n}`, left: (n) => plural(n, 'turn left', 'turns left'),
      tick: (n) => `Tick ${n}`, you: 'you', hp: 'HP', kills: (n) => plural(n, 'kill', 'kills'),
      score: (n) => plural(n, 'square', 'squares'), out: 'out', shield: (way) => `shield ${way}`,
      yours: 'Your turn: choose an action.', waits: (seats) => `Waiting for ${seats}.`, watching: 'You are watching.',
      wins: (seat) => `${seat} wins`, draw: 'A draw', over: 'The match is over',
      gathering: (seats) => `The match begins when everybody is there. Open: ${seats}.`, suspended: 'Suspended.',
      acting: 'Sending…', refresh: 'Refresh', fullscreen: 'Full screen', inline: 'Back to the conversation',
      say: 'Say something', send: 'Say', act: 'Act', happened: 'What happened', players: 'Players', actions: 'Actions',
      empty: 'The board appears here when a match begins.', alone: 'This page shows a match inside an assistant that speaks MCP Apps.',
      only_shown: 'This assistant only shows the board; tell it your action in words.', failed: 'That did not work.',
      played: (action, turn) => `On the board the user chose the action “${action}” in turn ${turn}; it has been played. Call get_state before you act again.`,
    },
  };

  const zh = {
    ways: {
      up: '上', down: '下', left: '左', right: '右', north: '北', south: '南', east: '东', west: '西',
      'north-east': '东北', 'north-west': '西北', 'south-east': '东南', 'south-west': '西南',
    },
    verbs: { move: '移动', shield: '转盾', shoot: '射击', speak: '说话', stay: '不动', hold: '不开火' },
    action: (verb, way) => (way ? `向${way}${verb}` : verb),
    reasons: { last_alive: '只剩一人', round_limit: '轮数打满', turn_limit: '回合打满', all_dead: '无人存活', forfeit: '有人判负，胜负已分' },
    kinds: { health: '医疗包', damage: '强化弹' },
    list: (seats) => seats.join('、'),
    join: '',
    quoted: (text) => `“${text}”`,
    moved: (e, who) => `${who} 走到 ${cell(e.to)}。`,
    shielded: (e, who, way) => `${who} 把护盾转向${way}方。`,
    fires: (e, who, way) => (e.entry ? `${who} 向${way}开枪，激光射入 ${cell(e.entry)}。` : `${who} 向${way}开枪。`),
    beam: (beam, way, tee) => {
      const sweep = tee ? `向${way}的一束` : '激光';
      const hit = beam.hit || {};
      if (hit.kind === 'edge') return `${sweep}落空。`;
      if (hit.kind === 'wall') return `${sweep}打在 ${cell(beam.to)} 的墙上。`;
      if (hit.kind === 'block') return hit.left ? `${sweep}打中 ${cell(beam.to)} 的砖块，耐久剩 ${hit.left}。` : `${sweep}击碎 ${cell(beam.to)} 的砖块。`;
      return hit.blocked ? `${sweep}打到 ${hit.seat}，被护盾挡下。` : `${sweep}命中 ${hit.seat}，生命剩 ${hit.hp}。`;
    },
    spoke: (who, text) => `${who} 说：“${text}”`,
    passed: (who) => `${who} 空过一回合。`,
    stand_in: (who) => `${who} 没有给出动作，由裁判代抽。`,
    forfeited: (who) => `${who} 被判负。`,
    eliminated: (e, who) => `${who} ${e.by ? `被 ${e.by} 击杀，` : ''}出局${e.place ? `，第 ${e.place} 名` : ''}。`,
    bumped: (who, to) => `${who} ${to ? `想去 ${to}，` : ''}与人相撞，退回原处。`,
    blocked: (who, way) => `${who} 往${way}走不通。`,
    painted: (e, who, way) => `${who} 向${way}射颜料，染了 ${e.cells.length} 格。`,
    bullet: (e, who, way) => `${who} 向${way}开火，${e.hit ? `命中 ${e.hit}` : '没打中人'}。`,
    damage: (e, who) => `${who} ${e.source === 'zone' ? '在安全区外' : '中弹'}，掉 ${e.amount} 点生命，还剩 ${e.hp}。`,
    kill: (e, who, by) => `${who} 被 ${by} 打倒。`,
    pickup: (who, kind) => `${who} 捡到${kind}。`,
    spawn: (at, kind) => `${at} 出现了${kind}。`,
    ended: (reason, places) => `对局结束：${reason}。${places}`,
    place: (seat, place) => `${seat} 第 ${place}`,
    places: (all) => `名次：${all.join('，')}。`,
    ui: {
      board: (name, turn) => `${name} 第 ${turn} 回合后的棋盘`,
      round: (n) => `第 ${n} 轮`, turn: (n) => `第 ${n} 回合`, left: (n) => `还剩 ${n} 回合`,
      tick: (n) => `第 ${n} 回合`, you: '你', hp: '生命', kills: (n) => `击杀 ${n}`,
      score: (n) => `${n} 格`, out: '出局', shield: (way) => `护盾朝${way}`,
      yours: '轮到你了，请选择动作。', waits: (seats) => `正在等 ${seats} 行动。`, watching: '你在观战。',
      wins: (seat) => `${seat} 获胜`, draw: '平局', over: '对局结束',
      gathering: (seats) => `人到齐才开始，空位：${seats}。`, suspended: '对局暂停。',
      acting: '正在提交……', refresh: '刷新', fullscreen: '全屏', inline: '回到对话',
      say: '说句话', send: '说', act: '行动', happened: '经过', players: '玩家', actions: '动作',
      empty: '对局开始后，棋盘会出现在这里。', alone: '请在支持 MCP Apps 的助手里打开此页，观看对局。',
      only_shown: '这个助手只能显示棋盘；想怎么行动，请直接告诉它。', failed: '操作没有成功。',
      played: (action, turn) => `用户在棋盘上为第 ${turn} 回合选了动作“${action}”，已经生效。再行动之前请先调用 get_state。`,
    },
  };

  /** One event as a sentence; an event that nobody knows is none. */
  function sentence(words, event) {
    const who = event.seat || event.bot;
    const way = words.ways[event.direction] || '';
    switch (event.type) {
      case 'moved': case 'move': return words.moved(event, who);
      case 'shielded': return words.shielded(event, who, way);
      case 'shot':
        if (event.beams) {
          const beams = event.beams.map((beam) => words.beam(beam, words.ways[beam.direction] || '', Boolean(event.entry)));
          return [words.fires(event, who, way), ...beams].join(words.join);
        }
        return event.cells ? words.painted(event, who, way) : words.bullet(event, who, way);
      case 'spoke': return words.spoke(who, event.text);
      case 'passed': return words.passed(who);
      case 'stand_in': return words.stand_in(who);
      case 'forfeited': return words.forfeited(who);
      case 'eliminated': return words.eliminated(event, who);
      case 'bumped': return words.bumped(who, cell(event.to));
      case 'bounce': return words.bumped(who, '');
      case 'blocked': return words.blocked(who, way);
      case 'damage': return words.damage(event, who);
      case 'kill': return words.kill(event, who, words.list(event.by || []));
      case 'pickup': return words.pickup(who, words.kinds[event.kind] || event.kind);
      case 'spawn': return words.spawn(cell(event.at), words.kinds[event.kind] || event.kind);
      case 'ended': return words.ended(words.reasons[event.outcome.reason] || event.outcome.reason, standings(words, event.outcome));
      default: return '';
    }
  }

  function standings(words, outcome) {
    const all = Object.entries(outcome.places).sort((one, other) => one[1] - other[1] || (one[0] < other[0] ? -1 : 1));
    return words.places(all.map(([seat, place]) => words.place(seat, place)));
  }

  /** An action in notation as a person would say it. */
  function action(words, notation) {
    const parts = String(notation).split(', ').map((part) => {
      const [verb, way] = part.split(' ');
      return words.action(words.verbs[verb] || verb, words.ways[way] || '');
    });
    return parts.join(', ');
  }

  /** The words of a language: `zh…` Chinese, all others English. */
  function of(language) {
    const words = /^zh\b/i.test(language || '') ? zh : en;
    return {
      language: words === zh ? 'zh' : 'en', ui: words.ui, verbs: words.verbs, ways: words.ways, list: words.list,
      sentence: (event) => sentence(words, event), action: (notation) => action(words, notation),
      spoke: words.spoke, standings: (outcome) => standings(words, outcome), reason: (name) => words.reasons[name] || name,
    };
  }

  return { of };
})();
