/** The sandbox. */
import { bodyOf, withAmounts, Resource, type Schemas, type Params } from '../resource';
import type { RequestOptions } from '../transport';

/** Test USDC and the clock of a local chain. */
export class Sandbox extends Resource {
  faucet(params: Params<Schemas['Faucet'], 'amount'>, options?: RequestOptions) {
    const body = withAmounts(params, ['amount']);
    return bodyOf(this.http.POST('/v1/sandbox/faucet', { body, ...this.connection.once(options) }));
  }

  clock(body: Schemas['AdvanceClock'], options?: RequestOptions) {
    return bodyOf(this.http.POST('/v1/sandbox/clock', { body, ...this.connection.once(options) }));
  }
}
