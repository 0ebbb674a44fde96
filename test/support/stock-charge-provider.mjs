// Two priced routes on stock mppx and stock @solana/mpp: the payer pays the fee of /report, the provider that of /sponsored.
import { randomBytes } from 'node:crypto';
import { createSolanaRpc, generateKeyPairSigner, lamports } from '@solana/kit';
import { solana } from '@solana/mpp/server';
import express from 'express';
import { Mppx } from 'mppx/server';
import { sold } from '../../apps/example-provider/selling.mjs';

const { SOLANA_RPC_URL: rpcUrl, USDC_MINT: currency, PAYEE: recipient } = process.env;
const signer = await generateKeyPairSigner();
const rpc = createSolanaRpc(rpcUrl);
await rpc.requestAirdrop(signer.address, lamports(1_000_000_000n)).send();

const selling = (more) =>
  Mppx.create({
    methods: [solana.charge({ recipient, currency, decimals: 6, network: 'localnet', rpcUrl, ...more })],
    realm: 'stock',
    secretKey: randomBytes(32).toString('base64'),
  });
const offer = { amount: '10000', currency, meta: { category: 'data' } };
const app = express();
app.get(
  '/report',
  sold(selling({}).charge({ ...offer, externalId: 'report 1' }), () => ({ report: 'fine' })),
);
app.get(
  '/sponsored',
  sold(selling({ signer }).charge(offer), () => ({ report: 'fine' })),
);
const server = app.listen(0, '127.0.0.1', () => console.log(`PROVIDER_URL=http://127.0.0.1:${server.address().port}\nready`));
