/** Behaviour of a Solana chain by RPC. The embedded chain and solana-test-validator both pass it. */
import { slotsSuite } from './suite/slots.suite';
import { sendingSuite } from './suite/sending.suite';
import { simulationSuite } from './suite/simulation.suite';
import { accountsSuite } from './suite/accounts.suite';
import { historySuite } from './suite/history.suite';
import { subscriptionsSuite } from './suite/subscriptions.suite';
import { jsonRpcSuite } from './suite/json-rpc.suite';
import { World } from './suite/world';

export function chainSuite(name: string, start: () => Promise<{ rpcUrl: string; wsUrl: string }>): void {
  describe(name, () => {
    const world = new World();
    beforeAll(async () => world.open(await start()));
    afterAll(() => world.chain.close());

    slotsSuite(world);
    sendingSuite(world);
    simulationSuite(world);
    accountsSuite(world);
    historySuite(world);
    subscriptionsSuite(world);
    jsonRpcSuite(world);
  });
}
