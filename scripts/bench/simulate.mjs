// `node scripts/bench/simulate.mjs`: simulates transfers through the shared steps of the service, to say what machines or a chain of another size
// would do. Three figures that `npm run bench` measured calibrate it. It repeats the other measured figures as a test of itself, and then
// predicts. Prints tables; asserts nothing. Behind `docs/scale.md`.
//
// The model: an order goes through four steps. In each, its process works on it by itself, one order after the other on one core; then the
// step is done for all orders that wait for it at once, one batch a step at a time: `fixed` CPU a batch and a share of `each` an order, in
// the database and, on a benchmark's machine alone, in the chain and the client. `wait` passes without CPU. Between `send` and `settle`
// lies the chain: a block takes a bounded number of transactions of one fee payer, and shows them later. All that is busy shares the cores
// of its machine.

const STEPS = ['simulate', 'store', 'send', 'settle'];
const SEND = STEPS.indexOf('send');
/** Milliseconds of simulated time that pass at once. */
const TICK = 0.1;
const WARM_UP_MS = 2_000;
/** Orders that one batch carries at most. */
const MOST = 256;

/** `npm run bench -- --rounds 2` on an idle machine with two cores. `cpu`: milliseconds a transfer of API, database, and chain and client. */
const MEASURED = {
  embedded: [
    { at: 1, perSecond: 95, p50: 9.2, p99: 30.8 },
    { at: 32, perSecond: 286, p50: 105.9, p99: 234.8, cpu: [2.21, 2.17, 1.37] },
    { at: 256, perSecond: 432, p50: 577.3, p99: 866.1 },
  ],
  validator: [
    { at: 1, perSecond: 2.3, p50: 423.9, p99: 501.9 },
    { at: 32, perSecond: 64, p50: 505.8, p99: 628.3 },
    { at: 256, perSecond: 201, p50: 1106.1, p99: 1921.6 },
  ],
};
const CALIBRATION = MEASURED.embedded[1];

/** Transactions of one fee payer that a block takes: docs/scale.md, "Walls". */
const PER_FEE_PAYER = 511;
const CHAINS = {
  embedded: { blockMs: 0 },
  // Besides, the validator keeps one of the two cores busy.
  validator: { blockMs: 400, confirmedAfterMs: 200, perFeePayer: PER_FEE_PAYER },
  mainnet: { blockMs: 400, confirmedAfterMs: 800, perFeePayer: PER_FEE_PAYER },
};

/**
 * Runs a load: `at` orders at a time, each followed by the next one, or `rate` orders a second. `machines`: those of API, database, and
 * chain and client, null if the latter are not counted; one object if it is one machine.
 */
function simulate({ cost, machines, chain, feePayers = 1, processes = 1, at, rate, seconds = 10 }) {
  const [api, database, rest] = machines;
  const [apiShare, databaseShare, restShare] = cost.shares;
  const own = (cost.each * apiShare) / STEPS.length;
  // By process: the orders that it works on one after the other, and those that wait for each step.
  const workers = Array.from({ length: processes }, () => ({ machine: api, orders: [], left: own, waiting: STEPS.map(() => []) }));
  let batches = [];
  const [landing, confirming, latencies] = [[], [], []];
  let [arrived, nextBlock, cpu, now] = [0, chain.blockMs, 0, 0];
  const arrive = () => workers[arrived++ % processes].orders.push({ began: now, step: 0 });
  const advance = (order, worker) => {
    order.step++;
    if (order.step - 1 === SEND && chain.blockMs > 0) landing.push({ order, worker });
    else if (order.step < STEPS.length) worker.orders.push(order);
    else {
      if (now > WARM_UP_MS) latencies.push(now - order.began);
      if (at !== undefined) arrive();
    }
  };
  for (let count = 0; count < (at ?? 0); count++) arrive();
  for (; now < WARM_UP_MS + seconds * 1_000; now += TICK) {
    while (rate !== undefined && arrived < (rate * now) / 1_000) arrive();
    if (chain.blockMs > 0 && now >= nextBlock) {
      nextBlock += chain.blockMs;
      confirming.push({ at: now + chain.confirmedAfterMs, orders: landing.splice(0, chain.perFeePayer * feePayers) });
    }
    while (confirming.length > 0 && confirming[0].at <= now)
      for (const { order, worker } of confirming.shift().orders) worker.orders.push(order);
    for (const worker of workers) {
      worker.waiting.forEach((queue, step) => {
        if (queue.length === 0 || batches.some((batch) => batch.worker === worker && batch.step === step)) return;
        const orders = queue.splice(0, MOST);
        const share = (part) => (cost.fixed * part) / (1 - apiShare) / STEPS.length + (cost.each * part * orders.length) / STEPS.length;
        const stages = [{ machine: database, left: share(databaseShare) }, ...(rest ? [{ machine: rest, left: share(restShare) }] : [])];
        batches.push({ worker, step, orders, stages, wait: cost.wait / STEPS.length });
      });
    }
    const working = workers.filter(({ orders }) => orders.length > 0);
    const busy = [...working, ...batches.flatMap(({ stages }) => stages.slice(0, 1))];
    const counts = new Map();
    for (const { machine } of busy) counts.set(machine, (counts.get(machine) ?? 0) + 1);
    for (const task of busy) {
      const done = TICK * Math.min(1, task.machine.cores / counts.get(task.machine));
      task.left -= done;
      if (now > WARM_UP_MS) cpu += done;
    }
    for (const worker of working)
      while (worker.left <= 0 && worker.orders.length > 0) {
        worker.left += own;
        const order = worker.orders.shift();
        worker.waiting[order.step].push(order);
      }
    for (const batch of batches) {
      if (batch.stages.length === 0) batch.wait -= TICK;
      else if (batch.stages[0].left <= 0) batch.stages.shift();
    }
    const ended = batches.filter(({ stages, wait }) => stages.length === 0 && wait <= 0);
    if (ended.length > 0) batches = batches.filter((batch) => !ended.includes(batch));
    for (const { orders, worker } of ended) for (const order of orders) advance(order, worker);
  }
  latencies.sort((one, other) => one - other);
  const quantile = (part) => latencies[Math.floor((latencies.length - 1) * part)] ?? Number.NaN;
  return { perSecond: latencies.length / seconds, p50: quantile(0.5), p99: quantile(0.99), cpu: cpu / latencies.length };
}

/** The cost of a batch by which the simulation has the measured time of one order alone, and throughput and CPU of the calibration. */
function calibrate() {
  const total = CALIBRATION.cpu.reduce((sum, ms) => sum + ms, 0);
  const shares = CALIBRATION.cpu.map((ms) => ms / total);
  const alone = MEASURED.embedded[0].p50;
  const machine = { cores: 2 };
  let best;
  for (let each = 1; each <= total; each += 0.25) {
    for (let fixed = 0; fixed + each <= alone; fixed += 0.5) {
      const cost = { fixed, each, wait: alone - fixed - each, shares };
      const { perSecond, cpu } = simulate({
        cost,
        machines: [machine, machine, machine],
        chain: CHAINS.embedded,
        at: CALIBRATION.at,
        seconds: 2,
      });
      const error = Math.abs(perSecond / CALIBRATION.perSecond - 1) + Math.abs(cpu / total - 1);
      if (!best || error < best.error) best = { error, cost };
    }
  }
  return best.cost;
}

const rounded = (value) => (value < 10 ? value.toFixed(1) : String(Math.round(value)));

const cost = calibrate();
console.log(`A batch of n orders: ${cost.fixed} + ${cost.each} n ms of CPU, ${cost.wait.toFixed(2)} ms of waiting`);

console.log('\nOne machine with two cores: measured, and simulated');
for (const [name, points] of Object.entries(MEASURED)) {
  const machine = { cores: name === 'validator' ? 1 : 2 };
  console.table(
    points.map(({ at, ...measured }) => {
      const simulated = simulate({ cost, machines: [machine, machine, machine], chain: CHAINS[name], at });
      const both = (key) => `${rounded(measured[key])} / ${rounded(simulated[key])}`;
      return { chain: name, 'at a time': at, 'settled/s': both('perSecond'), 'p50 ms': both('p50'), 'p99 ms': both('p99') };
    }),
  );
}

console.log('\nAPI and database on machines of their own, mainnet: simulated');
console.table(
  [
    { rate: 100, processes: 1, database: 2, feePayers: 1 },
    { rate: 500, processes: 2, database: 4, feePayers: 1 },
    { rate: 1_200, processes: 4, database: 8, feePayers: 1 },
    { rate: 1_400, processes: 4, database: 8, feePayers: 1 },
    { rate: 1_400, processes: 4, database: 8, feePayers: 2 },
    { rate: 5_000, processes: 16, database: 16, feePayers: 4 },
    { rate: 10_000, processes: 32, database: 16, feePayers: 8 },
    { rate: 10_000, processes: 32, database: 32, feePayers: 8 },
  ].map(({ rate, processes, database, feePayers }) => {
    const machines = [{ cores: processes }, { cores: database }, null];
    const { perSecond, p50, p99 } = simulate({ cost, machines, chain: CHAINS.mainnet, feePayers, processes, rate });
    return {
      'orders/s': rate,
      'API cores': processes,
      'database cores': database,
      'fee payers': feePayers,
      'settled/s': rounded(perSecond),
      'p50 ms': rounded(p50),
      'p99 ms': rounded(p99),
    };
  }),
);
