/** Public clusters: genesis hashes, and Circle's USDC mints (developers.circle.com/stablecoins/usdc-contract-addresses). */
/** The network in use, and the program and mint that the service uses there. */
export interface ChainIdentity {
  genesisHash: string;
  cluster: 'mainnet-beta' | 'devnet' | 'testnet' | 'localnet';
  programId: string;
  usdcMint: string;
}

export const CLUSTERS: Record<string, ChainIdentity['cluster']> = {
  '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d': 'mainnet-beta',
  EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG: 'devnet',
  '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY': 'testnet',
};

export const DEFAULT_USDC_MINTS: Partial<Record<ChainIdentity['cluster'], string>> = {
  'mainnet-beta': 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGkZwyTDt1v',
  devnet: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAERYPJgZJDncDU',
};
