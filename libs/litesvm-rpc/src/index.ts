/** A Solana JSON-RPC and WebSocket server over LiteSVM, in a process of its own: for development and tests only. */
export { startEmbeddedChain, type EmbeddedChain } from './embedded-chain';
