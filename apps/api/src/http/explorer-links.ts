import { Injectable } from '@nestjs/common';
import { Chain } from '#chain';
import { Config } from '../runtime/config';

/** Links to a public explorer. */
@Injectable()
export class ExplorerLinks {
  private readonly template: string;

  constructor(config: Config, { identity: { cluster } }: Chain) {
    const [rpcUrl = ''] = config.SOLANA_RPC_URL;
    const query = {
      'mainnet-beta': '',
      devnet: '?cluster=devnet',
      testnet: '?cluster=testnet',
      localnet: `?cluster=custom&customUrl=${encodeURIComponent(rpcUrl)}`,
    }[cluster];
    this.template = config.EXPLORER_URL_TEMPLATE ?? `https://explorer.solana.com/tx/{signature}${query}`;
  }

  transaction(signature: string): string {
    return this.template.replaceAll('{signature}', signature);
  }
}
