import { inSeconds, type RogueProvider } from './rogue-provider';
import { sharedService } from './service';

/** Challenges that a payer rejects, by what is wrong with them, and some that it must handle. */
export const oddChallenges = {
  'no expiry': (rogue: RogueProvider) => rogue.session({ expires: undefined }),
  expired: (rogue: RogueProvider) => rogue.session({ expires: inSeconds(-1) }),
  'far-future expiry': (rogue: RogueProvider) => rogue.session({ expires: inSeconds(10 * 365 * 86_400) }),
  'other mint': (rogue: RogueProvider) => rogue.session({ request: { currency: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGkZwyTDt1v' } }),
  'other decimals': (rogue: RogueProvider) => rogue.session({ methodDetails: { decimals: 9 } }),
  'other token program': (rogue: RogueProvider) =>
    rogue.session({ methodDetails: { tokenProgram: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb' } }),
  'other network': (rogue: RogueProvider) => rogue.session({ methodDetails: { network: 'mainnet' } }),
  'other program': (rogue: RogueProvider) =>
    rogue.session({ methodDetails: { channelProgram: 'CHNLxYvVA28MJP9PrFuDXccuoGXAx7jBacfLEkahyGsX' } }),
  'hidden splits': (rogue: RogueProvider) =>
    rogue.session({ methodDetails: { distributionSplits: [{ recipient: sharedService().sandbox.program_id, shareBps: 9_999 }] } }),
  'hidden splits of a charge': (rogue: RogueProvider) =>
    rogue.charge({ methodDetails: { splits: [{ recipient: sharedService().sandbox.program_id, amount: '99' }] } }),
  /** Node's client would reject its header too, unless configured for longer ones. */
  'too large': (rogue: RogueProvider) => rogue.session({ request: { externalId: 'x'.repeat(14_000) } }),
  'two categories': (rogue: RogueProvider) =>
    rogue.session({ methodDetails: { category: 'data' }, opaque: Buffer.from('{"category":"search"}').toString('base64url') }),
  'unknown method': (rogue: RogueProvider) => rogue.session({ method: 'tempo' }),
  'unknown intent': (rogue: RogueProvider) => rogue.session({ intent: 'subscription' }),
  'malformed base64': (rogue: RogueProvider) => rogue.session({ request: '!!!' }),
  'several in one header': (rogue: RogueProvider) => `Basic realm="x", ${rogue.session({ method: 'tempo' })}, ${rogue.session()}`,
} satisfies Record<string, (rogue: RogueProvider) => string>;
