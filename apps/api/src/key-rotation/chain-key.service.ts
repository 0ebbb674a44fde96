import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Acceptance, acceptanceText, isAccepted } from '#chain';
import type { Caller } from '../http/caller';
import { Conflict, InvalidRequest } from '../http/domain.errors';
import { OperatorsService } from '../keys';
import { Clock } from '../runtime/clock';
import type { Signed } from '../signatures';
import type { ChainKeyChallengeView, ChainKeyView } from './key-rotation.dto';
import { OperatorRotationService } from './operator-rotation.service';

/** How long a challenge can be answered: long enough to fetch a hardware wallet. */
const CHALLENGE_MS = 600_000;
const NONCE_BYTES = 16;

/** Hands operators' accounts to a chain key that they hold themselves. */
@Injectable()
export class ChainKeyService {
  constructor(
    private readonly clock: Clock,
    private readonly operators: OperatorsService,
    private readonly rotation: OperatorRotationService,
  ) {}

  async show({ operatorId }: Caller): Promise<ChainKeyView> {
    const [{ id, name, chainKey, pendingChainKey }, custody] = await Promise.all([
      this.operators.find(operatorId),
      this.operators.custody(operatorId),
    ]);
    return { operator_id: id, name, chain_key: chainKey, chain_key_custody: custody, pending_chain_key: pendingChainKey };
  }

  /** Whether the service holds the operator's chain key. */
  async isHeld({ operatorId }: Caller): Promise<boolean> {
    return (await this.operators.custody(operatorId)) === 'service';
  }

  /** The challenge that the next chain key must sign. It replaces the challenge before. */
  async challenge({ operatorId }: Caller): Promise<ChainKeyChallengeView> {
    const { chainKey } = await this.operators.find(operatorId);
    const challenge = acceptanceText(chainKey, randomBytes(NONCE_BYTES));
    const until = new Date(this.clock.now().getTime() + CHALLENGE_MS);
    await this.operators.challenge(operatorId, challenge, until);
    return { challenge, expires_at: until.toISOString() };
  }

  /**
   * Hands all accounts to the key that signed the challenge. `signature`: 64 bytes.
   * @throws InvalidRequest if the signature is not that of the challenge, or has expired; Conflict if the key is another operator's; and
   * what `OperatorRotationService.handOver` throws.
   */
  async handOver(caller: Caller, chainKey: string, signature: Uint8Array, signed: Signed | null): Promise<ChainKeyView> {
    await this.rotation.handOver(caller, await this.acceptance(caller, chainKey, signature), signed);
    return this.show(caller);
  }

  private async acceptance({ operatorId }: Caller, address: string, signature: Uint8Array): Promise<Acceptance> {
    const { chainKey, pendingChainKey, pendingAcceptanceText, chainKeyChallenge, chainKeyChallengeUntil } =
      await this.operators.find(operatorId);
    // An acceptance stays valid until all accounts are handed over.
    const isPending = pendingChainKey === address && pendingAcceptanceText !== null;
    const text = isPending ? pendingAcceptanceText : chainKeyChallenge;
    if (address === chainKey) throw InvalidRequest.field('chain_key', 'is the chain key of this operator already');
    const isOpen = isPending || (chainKeyChallengeUntil !== null && chainKeyChallengeUntil > this.clock.now());
    if (text === null || !isOpen)
      throw InvalidRequest.field('signature', 'is of no open challenge: ask for one with POST /v1/operators/chain_key/challenge');
    const acceptance = { address, text, signature };
    if (!isAccepted(acceptance)) throw InvalidRequest.field('signature', 'is not the signature of the challenge by chain_key');
    if (await this.operators.isTaken(address, operatorId)) throw new Conflict('This chain key is another operator’s.', 'taken');
    return acceptance;
  }
}
