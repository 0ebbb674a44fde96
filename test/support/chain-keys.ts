/** Operators who hold their chain key themselves, as a wallet does: with the stock `@solana/web3.js`. */
import { sign, createPrivateKey } from 'node:crypto';
import { Keypair, VersionedTransaction } from '@solana/web3.js';
import { api, type Answer, type Api, type Body } from './api';
import { eventually } from './eventually';
import { newOperatorKey } from './operators';
import { sharedService } from './service';
import { bodyOf } from './world';

export class ChainKeyHolder {
  readonly keypair = Keypair.generate();

  get address(): string {
    return this.keypair.publicKey.toBase58();
  }

  /** The signature of a text, in base64. */
  signText(text: string): string {
    const d = Buffer.from(this.keypair.secretKey.subarray(0, 32)).toString('base64url');
    const x = Buffer.from(this.keypair.publicKey.toBytes()).toString('base64url');
    return sign(null, Buffer.from(text), createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x }, format: 'jwk' })).toString('base64');
  }

  /** The transaction of a request with the holder's signature, in base64. */
  signTransaction({ transaction }: Body): string {
    const unsigned = VersionedTransaction.deserialize(Buffer.from(transaction, 'base64'));
    unsigned.sign([this.keypair]);
    return Buffer.from(unsigned.serialize()).toString('base64');
  }

  /** Signs what an answer asks for, until it asks for nothing more. Returns the last answer, and how often it signed. */
  async complete(by: Api, answer: Answer): Promise<Answer & { signatures: number }> {
    let current = answer;
    let signatures = 0;
    for (; current.body.status === 'signature_required'; signatures++) {
      const { signature_request_id: id } = current.body;
      current = await by.post(`/v1/signature_requests/${id}`, { transaction: this.signTransaction(current.body) });
    }
    return { ...current, signatures };
  }

  /** Accepts the accounts of an operator. Returns the answer, which may ask for the signature of the holder before. */
  async accept(by: Api): Promise<Answer> {
    const { challenge } = bodyOf(await by.post('/v1/operators/chain_key/challenge'), 200);
    return by.post('/v1/operators/chain_key', { chain_key: this.address, signature: this.signText(challenge) });
  }
}

/** An operator of its own, whose accounts obey a key that the test holds. */
export async function anExternalOperator(): Promise<{ by: Api; key: string; holder: ChainKeyHolder }> {
  const { baseUrl, sandbox, dataDir } = sharedService();
  const key = await newOperatorKey({ sandbox, dataDir });
  const by = api(baseUrl, key);
  const holder = new ChainKeyHolder();
  bodyOf(await holder.accept(by), 202);
  await untilHeldBy(by, holder);
  return { by, key, holder };
}

export async function untilHeldBy(by: Api, { address }: ChainKeyHolder): Promise<void> {
  await eventually(async () => {
    expect(bodyOf(await by.get('/v1/operators/me'), 200)).toMatchObject({ chain_key: address, chain_key_custody: 'external' });
  });
}
