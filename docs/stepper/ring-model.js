// A ring of stages: one producer, a copy engine, two consumer warps. In: a state and who takes the next
// step. Out: the next state, and a sentence. The idea: full and empty are barriers of barrier-model.js;
// what is wrong with a ring is which parity somebody asks for, or when somebody arrives.
(() => {
  const {fresh, returns, arrive, land} = window.stepperModels.barrier.parts;
  const BYTES = 4096, CONSUMERS = 2;

  // What a preset may set: how the ring is made.
  const defaults = {
    stages: 2,
    tiles: 4,
    producer: 'other',  // the parity it asks for: other (right), same, or none: it does not wait
    consumer: 'round',  // what the parity is counted from: round (right) or turn
    count: CONSUMERS,   // arrivals that empty expects
    release: 'after',   // a stage is given back after it has been read (right), before, or never
  };

  const start = (options = {}) => {
    const how = {...defaults, ...options};
    const stages = Array.from({length: how.stages}, () => ({
                                                      full: fresh(1),
                                                      empty: fresh(how.count),
                                                      holds: null,
                                                      loading: null,
                                                      reading: [],
                                                    }));
    return {
      how,
      stages,
      producer: {turn: 0, asleep: false},
      flights: [],
      consumers: Array.from({length: CONSUMERS}, () => ({turn: 0, asleep: false, reads: null}))
    };
  };

  const change = (list, at, with_) => list.map((one, i) => i === at ? {...one, ...with_} : one);
  const stageOf = (state, turn) => turn % state.how.stages;
  const round = (state, turn) => Math.floor(turn / state.how.stages);

  const producerParity = (state) =>
      (round(state, state.producer.turn) + (state.how.producer === 'other' ? 1 : 0)) % 2;
  const consumerParity = (state, turn) => (state.how.consumer === 'turn' ? turn : round(state, turn)) % 2;

  const produce = (state) => {
    const {turn} = state.producer, at = stageOf(state, turn), stage = state.stages[at];
    if (turn >= state.how.tiles) return {state, rules: [], said: 'The producer is done.'};
    const parity = producerParity(state), wait = `wait(&empty[${at}], ${parity})`;
    if (state.how.producer !== 'none' && !returns(stage.empty, parity))
      return {
        state: {...state, producer: {turn, asleep: true}},
        rules: [],
        said: `The producer wants stage ${at} for tile ${turn} and sleeps in ${wait}.`
      };
    const late = stage.holds === null ? [] : unread(state, at), still = late.length > 0;
    const rules = still ? ['buffer-still-read'] : [];
    const wrong = still ? ` Wrong: ${late.join(' and ')} still ${late.length > 1 ? 'need' : 'needs'} tile ${
                              stage.holds}, which it overwrites.` :
                          '';
    const empty = {...stage.empty, observed: true};
    const {bar: full, rules: more} = arrive(stage.full, BYTES);
    rules.push(...more);
    const first = state.how.producer === 'none' ? '' : `${wait} returns. `;
    const many = more.length ? ' Wrong: full has no arrival left in this phase.' : '';
    return {
      rules,
      state: {
        ...state,
        producer: {turn: turn + 1, asleep: false},
        stages: change(state.stages, at, {full, empty, loading: turn}),
        flights: [...state.flights, turn]
      },
      said: `${first}The producer announces tile ${turn} on full[${at}] and loads it into stage ${at}.${
          wrong}${many}`
    };
  };

  // The consumers that have not read what the stage holds.
  const unread = (state, at) => {
    const tile = state.stages[at].holds;
    return state.consumers.map((consumer, i) => [consumer, i])
        .filter(([consumer]) => consumer.turn <= tile)
        .map(([, i]) => `consumer ${i}`);
  };

  const deliver = (state) => {
    const [tile, ...flights] = state.flights;
    if (tile === undefined) return {state, rules: [], said: 'No copy is in flight.'};
    const at = stageOf(state, tile), {bar: full} = land(state.stages[at].full, BYTES);
    const loading = flights.find((other) => stageOf(state, other) === at) ?? null;
    return {
      rules: [],
      state: {...state, flights, stages: change(state.stages, at, {full, holds: tile, loading})},
      said: `Tile ${tile} lands in stage ${at}: phase ${full.phase - 1} of full[${at}] is complete.`
    };
  };

  const giveBack = (state, i, then) => {
    const at = stageOf(state, state.consumers[i].turn);
    const {bar: empty, rules} = arrive(state.stages[at].empty, 0);
    const done = empty.phase > state.stages[at].empty.phase;
    const said =
        `Consumer ${i} arrives at empty[${at}]${done ? `: its phase ${empty.phase - 1} is complete` : ''}.`;
    const stages = change(state.stages, at, {empty}), consumers = change(state.consumers, i, then);
    return {state: {...state, stages, consumers}, rules, said};
  };

  const consume = (state, i) => {
    const me = state.consumers[i];
    if (me.turn >= state.how.tiles) return {state, rules: [], said: `Consumer ${i} is done.`};
    const at = stageOf(state, me.turn), stage = state.stages[at];
    if (me.reads !== null) {  // the second half of a turn
      const next = {turn: me.turn + 1, reads: null};
      if (state.how.release !== 'after')
        return {
          state: {...state, consumers: change(state.consumers, i, next)},
          rules: [],
          said: `Consumer ${i} has read tile ${me.turn}.`
        };
      const done = giveBack(state, i, next);
      return {...done, said: `Consumer ${i} has read tile ${me.turn}. ${done.said}`};
    }
    const parity = consumerParity(state, me.turn), wait = `wait(&full[${at}], ${parity})`;
    if (!returns(stage.full, parity))
      return {
        state: {...state, consumers: change(state.consumers, i, {asleep: true})},
        rules: [],
        said: `Consumer ${i} wants tile ${me.turn} and sleeps in ${wait}.`
      };
    const full = {...stage.full, observed: true};
    let next = {
      ...state,
      stages: change(state.stages, at, {full}),
      consumers: change(state.consumers, i, {asleep: false, reads: me.turn})
    };
    const wrong = stage.holds === me.turn && stage.loading === null ?
        '' :
        ` Wrong: stage ${at} ${stage.holds === null ? 'holds no tile yet' : `holds tile ${stage.holds}`}${
            stage.loading === null ? '' : `, and tile ${stage.loading} is on its way`}.`;
    const rules = wrong ? ['tile-before-phase'] : [];
    let said = `${wait} returns. Consumer ${i} begins to read tile ${me.turn}.${wrong}`;
    if (state.how.release === 'before') {
      const done = giveBack(next, i, {});
      next = done.state;
      rules.push(...done.rules);
      said += ` Too soon: ${done.said[0].toLowerCase()}${done.said.slice(1)}`;
    }
    return {state: next, rules, said};
  };

  const finished = (state) => state.producer.turn >= state.how.tiles &&
      state.consumers.every((consumer) => consumer.turn >= state.how.tiles);

  const wouldSleep = (state) => {
    const {turn} = state.producer;
    const producer = turn >= state.how.tiles ||
        (state.how.producer !== 'none' &&
         !returns(state.stages[stageOf(state, turn)].empty, producerParity(state)));
    return producer && state.flights.length === 0 &&
        state.consumers.every(
            (me) => me.turn >= state.how.tiles ||
                (me.reads === null &&
                 !returns(state.stages[stageOf(state, me.turn)].full, consumerParity(state, me.turn))));
  };

  const end = (state) => {
    if (finished(state)) return {state, rules: [], said: 'All tiles have been read, and nobody sleeps.'};
    if (wouldSleep(state))
      return {
        state,
        rules: ['deadlock'],
        said: 'Nothing is in flight and everybody sleeps: they sleep for ever.'
      };
    return {state, rules: [], said: 'Somebody can still go on.'};
  };

  // Who can go on now, of those that slept.
  const wake = (state) => {
    const woken = [];
    let {producer} = state;
    const ready = ({turn}, bar, parity) => turn >= state.how.tiles || returns(bar, parity);
    const empty = state.stages[stageOf(state, producer.turn)].empty;
    if (producer.asleep && ready(producer, empty, producerParity(state))) {
      producer = {...producer, asleep: false};
      woken.push('The producer wakes up.');
    }
    const consumers = state.consumers.map((me, i) => {
      const full = state.stages[stageOf(state, me.turn)].full;
      if (!me.asleep || !ready(me, full, consumerParity(state, me.turn))) return me;
      woken.push(`Consumer ${i} wakes up.`);
      return {...me, asleep: false};
    });
    return {state: {...state, producer, consumers}, said: woken.map((one) => ` ${one}`).join('')};
  };

  const act = (state, step) => {
    const done = take(state, step), after = wake(done.state);
    return {state: after.state, rules: done.rules, said: done.said + after.said};
  };

  const take = (state, step) => {
    const consumer = /^consumer (\d)$/.exec(step);
    if (consumer) return consume(state, Number(consumer[1]));
    if (step === 'producer') return produce(state);
    if (step === 'a copy lands') return deliver(state);
    if (step === 'nothing more comes') return end(state);
    throw new Error(`ring: what is "${step}"?`);
  };

  const plural = (count, word) => `${count} ${word}${count === 1 ? '' : 's'}`;

  const holds = ({holds, loading}) => loading !== null ? `tile ${loading} on its way` :
      holds === null ? 'nothing' :
                       `tile ${holds}`;

  const asleep = (state) =>
      [...(state.producer.asleep ? ['producer'] : []),
       ...state.consumers.flatMap((consumer, i) => consumer.asleep ? [`consumer ${i}`] : [])];

  const consumerBox = (state) => (me, i) => {
    const next = `${me.asleep ? 'sleeps' : 'next'}: tile ${me.turn}`;
    const value = me.turn >= state.how.tiles ? 'done' : me.reads !== null ? `reads tile ${me.reads}` : next;
    return {label: `consumer ${i}`, tone: me.asleep ? 'asleep' : 'calm', value};
  };

  window.stepperModels.ring = {
    start,
    act,
    end,
    finished,
    wouldSleep,
    actions: ['producer', 'a copy lands', 'consumer 0', 'consumer 1', 'nothing more comes'],
    allowed: (state, step) => step !== 'a copy lands' || state.flights.length > 0,
    columns: ['stage 0', 'stage 1', 'phases of full', 'phases of empty', 'asleep'],
    row: (state) =>
        [holds(state.stages[0]), state.stages[1] ? holds(state.stages[1]) : '-',
         state.stages.map((stage) => stage.full.phase).join(', '),
         state.stages.map((stage) => stage.empty.phase).join(', '), asleep(state).join(', ') || '-'],
    view: (state) =>
        [...state.stages.map(
             (stage, at) => ({
               title: `stage ${at}`,
               boxes: [
                 {label: 'holds', value: holds(stage), tone: stage.loading !== null ? 'owed' : 'calm'}, {
                   label: `full[${at}]`,
                   tone: stage.full.bytes ? 'owed' : 'calm',
                   value: `phase ${stage.full.phase}: ${stage.full.bytes || '1 arrival'}${
                       stage.full.bytes ? ' bytes' : ''} owed`
                 },
                 {
                   label: `empty[${at}]`,
                   tone: 'calm',
                   value: `phase ${stage.empty.phase}: ${plural(stage.empty.arrivals, 'arrival')} owed`
                 }
               ]
             })),
         {
           title: 'who does what',
           boxes: [
             {
               label: 'producer',
               tone: state.producer.asleep ? 'asleep' : 'calm',
               value: state.producer.turn >= state.how.tiles ?
                   'done' :
                   `${state.producer.asleep ? 'sleeps' : 'next'}: tile ${state.producer.turn}`
             },
             ...state.consumers.map(consumerBox(state)),
           ]
         }],
  };
})();
