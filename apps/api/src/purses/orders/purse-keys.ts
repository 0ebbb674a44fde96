import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Chain, LocalSigner, type Signer } from '#chain';
import { EncryptionService } from '../../secrets';
import type { Purse } from '../purse.entity';

/** Unsealed keys stay in memory: unsealing costs as much as ten signatures. */
const MAX_CACHED_KEYS = 1_000;

/** The keys of purses: the delegates of allowance purses, and those that hold the amounts of channel purses. */
@Injectable()
export class PurseKeys {
  private readonly signers = new LRUCache<string, Signer>({ max: MAX_CACHED_KEYS });

  constructor(
    private readonly encryption: EncryptionService,
    private readonly chain: Chain,
  ) {}

  /** A new key for the purse with this id, sealed. That of a channel purse owns a token account, which costs the less the sooner it is found. */
  generate(id: string, kind: Purse['kind']): Pick<Purse, 'delegateKey' | 'delegateKeySealed'> {
    let { seed, signer } = LocalSigner.generate();
    while (kind === 'channel' && !this.chain.channelPurses.isFoundAtOnce(signer.address)) ({ seed, signer } = LocalSigner.generate());
    return { delegateKey: signer.address, delegateKeySealed: this.encryption.seal('purse-key', id, seed) };
  }

  /** @throws Error for a purse whose key was lost in a restore */
  of({ id, delegateKey, delegateKeySealed }: Purse): Signer {
    const cached = this.signers.get(id);
    if (cached) return cached;
    if (delegateKeySealed === null) throw new Error(`the key of ${id} was lost in a restore`);
    const signer = LocalSigner.fromSeed(this.encryption.unseal('purse-key', id, delegateKeySealed), delegateKey);
    this.signers.set(id, signer);
    return signer;
  }
}
