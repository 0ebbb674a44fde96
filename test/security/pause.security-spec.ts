/** An operator's pause while others use up what they can: how long it takes, and what other callers still get, printed as a table. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { availableParallelism, constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '#processes';
import { api, type Api } from '../support/api';
import { cpuMs } from '../support/cpu-time';
import { eventually } from '../support/eventually';
import { startBeside } from '../support/operators';
import { startService, type Service } from '../support/service';
import { anAccount, bodyOf, type TestAccount } from '../support/world';

jest.setTimeout(1_800_000);

const ATTACKS = ['members_without_key', 'members_of_agent', 'challenges', 'dust', 'free_answers', 'silent_provider', 'refused', 'flood'];
/** So many that the 99th percentile is not the longest one. */
const PAUSES = 200;
/** An attack is under way at its full strength after this time. */
const WARM_UP_MS = 2_000;
/** No pause may take longer, however slow the machine. */
const HANG_MS = 30_000;
/** How long the transfers of another agent are counted. */
const COUNTED_MS = 5_000;
/** A new process is slow until its code is compiled: its transfers are counted after this time. */
const COMPILE_MS = 10_000;
/** Requests that an attack has begun have ended after this time. */
const REST_MS = 2_000;
const VARIABLES = { FEE_BUDGET_PER_ACCOUNT: '0.05', LOG_LEVEL: 'error' };

/** Runs a command only while a processor has nothing else to do, where the system can: the lowest priority still takes a part. */
const ONLY_WHEN_IDLE = spawnSync('chrt', ['--idle', '0', 'true']).status === 0 ? ['chrt', '--idle', '0'] : [];
const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
if (!hasRedis && process.env.CI)
  throw new Error('redis-server is not installed: the pause with Redis and two processes cannot be measured.');
/** A service as it is deployed, and what attacks it. */
interface Deployment {
  services: Service[];
  stop(): Promise<void>;
}

async function oneProcess(): Promise<Deployment> {
  const service = await startService({ variables: VARIABLES });
  return { services: [service], stop: () => service.stop() };
}

async function twoProcessesWithRedis(): Promise<Deployment> {
  const port = await findFreePort();
  const redis = spawn('redis-server', ['--port', String(port), '--save', '', '--appendonly', 'no'], { stdio: 'ignore' });
  const variables = { ...VARIABLES, REDIS_URL: `redis://127.0.0.1:${port}` };
  await eventually(() => expect(spawnSync('redis-cli', ['-p', String(port), 'ping']).status).toBe(0));
  const first = await startService({ variables });
  const second = await startBeside(first, { variables: { ...variables, ALLOW_PRIVATE_URLS: 'true' } });
  const stop = async (): Promise<void> => {
    await second.stop();
    await first.stop();
    redis.kill('SIGKILL');
  };
  return { services: [second, first], stop };
}

/** A script that works for a part of each 10 ms. */
const loopOf = (part: number): string => `
  const waiter = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    const began = performance.now();
    while (performance.now() - began < ${part * 10});
    Atomics.wait(waiter, 0, 0, ${(1 - part) * 10});
  }`;

const rounded = (milliseconds: number | undefined): number => Math.round(milliseconds ?? Number.NaN);

const describeWithRedis = hasRedis ? describe : describe.skip;
describe('one process', () => underAttacks('one process', oneProcess));
describeWithRedis(`two processes with Redis${hasRedis ? '' : ' (skipped: redis-server is not installed)'}`, () =>
  underAttacks('two processes with Redis', twoProcessesWithRedis),
);

/** Measures the pause in a deployment while nobody attacks it, under each attack, and under all together. */
function underAttacks(deployed: string, deploy: () => Promise<Deployment>): void {
  const attackers = new Set<ChildProcess>();
  let deployment: Deployment;
  let by: Api;
  let paused: TestAccount;
  let payee: TestAccount;
  let targets: string[][];

  beforeAll(async () => {
    deployment = await deploy();
    const [service] = deployment.services as [Service];
    by = api(service.baseUrl, service.operatorKey);
    paused = await anAccount({ by });
    const attacked = await anAccount({ usdc: '100', by });
    payee = await anAccount({ by });
    const key = await agentKey(attacked.id);
    targets = deployment.services.map(({ baseUrl }) => [baseUrl, key, attacked.id, payee.id]);
    await transfersPerSecond(await anotherPayer(), COMPILE_MS);
  });
  afterEach(async () => {
    endAttacks();
    await sleep(REST_MS);
  });
  afterAll(() => deployment.stop());

  /** Starts a script that gets the processor time which the service leaves: attackers run on machines of their own. */
  function beside(script: string[]): void {
    const [command = '', ...words] = [...ONLY_WHEN_IDLE, process.execPath, ...script];
    const started = spawn(command, words, { stdio: 'ignore' });
    setPriority(started.pid ?? 0, constants.priority.PRIORITY_LOW);
    attackers.add(started);
  }

  /**
   * Transfers of an agent beside loops that use as many processors as an attack did, from 0 to all. A processor that also runs an attacker is
   * slower for the service, even if the attacker has the lowest priority: what an attack takes beyond that is taken by its requests.
   */
  async function besideLoops(payer: { by: Api; from: string }, processors: number): Promise<number> {
    const count = availableParallelism();
    for (let index = 0; index < count; index++) beside(['--eval', loopOf(processors / count)]);
    const settled = await transfersPerSecond(payer);
    endAttacks();
    return settled;
  }

  /** The CPU time of all attackers so far, in milliseconds; 0 on other systems than Linux, which do not show it. */
  const attackersMs = (): number => (process.platform === 'linux' ? [...attackers].reduce((sum, { pid }) => sum + cpuMs(pid ?? 0), 0) : 0);

  function endAttacks(): void {
    for (const attacker of attackers) attacker.kill('SIGKILL');
    attackers.clear();
  }

  /** Pauses and resumes, and returns how long each took in milliseconds, in order. */
  async function pauses(): Promise<number[]> {
    const took: number[] = [];
    for (let index = 0; index < PAUSES; index++) {
      const began = performance.now();
      bodyOf(await by.put(`/v1/accounts/${paused.id}/policy`, { paused: index % 2 === 0 }), 200);
      took.push(performance.now() - began);
    }
    return took.sort((one, another) => one - another);
  }

  async function agentKey(accountId: string): Promise<string> {
    return bodyOf(await by.post('/v1/api_keys', { type: 'agent', account_ids: [accountId] }), 201).key;
  }

  /** An agent that attacks nothing, with the fee budget of a new account. */
  async function anotherPayer(): Promise<{ by: Api; from: string }> {
    const { id: from } = await anAccount({ usdc: '100', by });
    return { by: api((deployment.services[0] as Service).baseUrl, await agentKey(from)), from };
  }

  /** Transfers of an agent, one after another. */
  async function transfersPerSecond(payer: { by: Api; from: string }, countedMs = COUNTED_MS): Promise<number> {
    const began = performance.now();
    let settled = 0;
    while (performance.now() - began < countedMs) {
      const order = { from: payer.from, to: payee.id, amount: '0.000001', idempotency_key: randomUUID() };
      if ((await payer.by.post('/v1/transfers', order)).status === 200) settled++;
    }
    return settled / ((performance.now() - began) / 1000);
  }

  test.each([['nobody', []], ...ATTACKS.map((kind): [string, string[]] => [kind, [kind]]), ['all together', ATTACKS]])(
    'a pause is made, and never 5xx, under an attack by %s',
    async (name, kinds) => {
      const payer = await anotherPayer();
      const alone = await transfersPerSecond(payer);
      for (const kind of kinds) for (const target of targets) beside([join(__dirname, 'attacks.mjs'), kind, ...target]);
      await sleep(WARM_UP_MS);
      const took = await pauses();
      const [began, usedMs] = [performance.now(), attackersMs()];
      const others = await transfersPerSecond(payer);
      const processors = (attackersMs() - usedMs) / (performance.now() - began);
      expect([...attackers].every(({ exitCode }) => exitCode === null)).toBe(true);
      endAttacks();
      await sleep(REST_MS);
      const besideEqual = await besideLoops(payer, processors);
      const [p50, p99, most] = [took[took.length >> 1], took[Math.ceil(took.length * 0.99) - 1], took.at(-1)].map(rounded);
      const equal = `${rounded(besideEqual)}/s beside loops on ${processors.toFixed(2)} processors, as the attackers used`;
      const perSecond = `${rounded(others)}/s, ${rounded(alone)}/s alone, ${equal}`;
      process.stdout.write(
        `${deployed}: ${name}: pause p50 ${p50} ms, p99 ${p99} ms, longest ${most} ms; others’ transfers ${perSecond}\n`,
      );
      expect(most).toBeLessThan(HANG_MS);
    },
  );
}
