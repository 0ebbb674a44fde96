import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { ExternalSigner, type HeldSignature, LocalSigner, type Signer } from '#chain';
import { isId, newId } from '#database';
import { AuditLog } from '../../audit';
import { Clock } from '../../runtime/clock';
import { NotFound } from '../../http/domain.errors';
import { ApiKeysService } from '../api-keys/api-keys.service';
import type { NewApiKeyView } from '../api-keys/api-keys.dto';
import { Operator } from './operator.entity';
import { EncryptionService } from '../../secrets';

/** An operator with its first key. */
export interface NewOperator {
  operator: Operator;
  /** Its first operator key, with the secret, which is shown only now. */
  key: NewApiKeyView;
}

/** Operators and their chain keys. */
@Injectable()
export class OperatorsService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly encryption: EncryptionService,
    private readonly keys: ApiKeysService,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Makes the pending chain key current and releases the rotation's lease, once the chain obeys it. If that key is held outside, the
   * service holds none from then on. A challenge names the key before, so it ends.
   */
  async promoteKey(id: string, key: string): Promise<void> {
    await this.database.query(
      `UPDATE operators SET chain_key = pending_chain_key, chain_key_sealed = pending_chain_key_sealed, pending_chain_key = NULL,
              pending_chain_key_sealed = NULL, pending_acceptance_text = NULL, pending_acceptance_signature = NULL,
              pending_mac = NULL, chain_key_challenge = NULL, chain_key_challenge_until = NULL, rotation_lease_until = $3
         WHERE id = $1 AND pending_chain_key = $2`,
      [id, key, this.clock.now()],
    );
  }

  /** Creates an operator with a chain key and a first API key. */
  create(name: string): Promise<NewOperator> {
    const now = this.clock.now();
    const id = newId('op', now);
    const { seed, signer } = LocalSigner.generate();
    return this.database.transaction(async (manager) => {
      const chainKeySealed = this.encryption.seal('operator-chain-key', id, seed);
      const operator = manager.create(Operator, { id, name, chainKey: signer.address, chainKeySealed, createdAt: now });
      await manager.insert(Operator, operator);
      const actor = { operatorId: id, type: 'service' as const };
      await this.audit.record(actor, { action: 'operator.created', object: id, after: { name } }, manager);
      return { operator, key: await this.keys.createWith(manager, actor, { type: 'operator', name: 'first key' }) };
    });
  }

  /** Creates another operator key for an operator who has lost the others. @throws NotFound */
  async createKey(operatorId: string): Promise<NewApiKeyView> {
    await this.find(operatorId);
    return this.keys.create({ operatorId, type: 'service' }, { type: 'operator', name: 'recovery key' });
  }

  /** @throws NotFound */
  async find(id: string): Promise<Operator> {
    const operator = isId('op', id) ? await this.database.manager.findOneBy(Operator, { id }) : null;
    if (!operator) throw new NotFound('There is no such operator.');
    return operator;
  }

  /** The oldest operator; null if there is none. */
  first(): Promise<Operator | null> {
    return this.database.manager.findOne(Operator, { where: {}, order: { id: 'ASC' } });
  }

  /** Every operator with the chain keys that its accounts obey: during a rotation the pending one too. */
  async chainKeys(): Promise<{ id: string; chainKey: string }[]> {
    const rows: { id: string; chain_key: string }[] = await this.database.query(
      `SELECT id, unnest(array_remove(ARRAY[chain_key, pending_chain_key], NULL)) AS chain_key FROM operators ORDER BY id`,
    );
    return rows.map(({ id, chain_key }) => ({ id, chainKey: chain_key }));
  }

  /** Stores the text that the next external chain key must sign, until a moment. It replaces the one before. */
  async challenge(id: string, text: string, until: Date): Promise<void> {
    await this.database.query('UPDATE operators SET chain_key_challenge = $2, chain_key_challenge_until = $3 WHERE id = $1', [
      id,
      text,
      until,
    ]);
  }

  /** Whether an operator other than this one has the chain key, or is about to get it. */
  async isTaken(chainKey: string, id: string): Promise<boolean> {
    const rows: unknown[] = await this.database.query(
      'SELECT 1 FROM operators WHERE (chain_key = $1 OR pending_chain_key = $1) AND id <> $2 LIMIT 1',
      [chainKey, id],
    );
    return rows.length > 0;
  }

  /**
   * Who holds the operator's chain key: `service`, or `external`, the operator itself.
   * @throws NotFound
   */
  async custody(id: string): Promise<'service' | 'external'> {
    const keys = await this.database.manager.findOne(Operator, { where: { id }, select: { id: true, chainKeySealed: true } });
    if (!keys) throw new NotFound('There is no such operator.');
    return keys.chainKeySealed === null ? 'external' : 'service';
  }

  /** Whether the operator holds its chain key outside of the service, or is about to. */
  async hasExternalKey(id: string): Promise<boolean> {
    const rows: unknown[] = await this.database.query(
      'SELECT 1 FROM operators WHERE id = $1 AND (chain_key_sealed IS NULL OR pending_acceptance_text IS NOT NULL)',
      [id],
    );
    return rows.length > 0;
  }

  /**
   * The signer of the operator's chain key with this address: the current one, or the pending one during a rotation. Undefined for another
   * address. Only for policy changes, approvals, rotation and closing. The signer of a key that is held outside signs what its holder has
   * signed, `held`, and nothing else.
   */
  async signer(id: string, address: string, held: HeldSignature | null = null): Promise<Signer | undefined> {
    const keys = await this.database.manager.findOne(Operator, {
      where: { id },
      select: { id: true, chainKey: true, chainKeySealed: true, pendingChainKey: true, pendingChainKeySealed: true },
    });
    if (address !== keys?.chainKey && address !== keys?.pendingChainKey) return undefined;
    const sealed = address === keys.chainKey ? keys.chainKeySealed : keys.pendingChainKeySealed;
    if (sealed === null) return new ExternalSigner(address, held);
    return LocalSigner.fromSeed(this.encryption.unseal('operator-chain-key', id, sealed), address);
  }
}
