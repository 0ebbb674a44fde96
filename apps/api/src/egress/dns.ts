/** Resolves the host names of URLs that callers name. */
import { lookup, Resolver } from 'node:dns/promises';

/** How long one query to a name server may take, and how often it is sent. */
const QUERY_TIMEOUT_MS = 3_000;
const TRIES = 2;
/** The most addresses of a name that are used. All of these are checked, and only these are connected to. */
const MAX_ADDRESSES = 16;

/** Queries name servers without blocking a thread, so that a name whose server hangs delays no other. */
export class NameResolver {
  /** @param servers Name servers, `address:port`, instead of the machine's. */
  constructor(private readonly servers?: string[]) {}

  /** The addresses of a name, IPv4 first. Empty if there are none, or the signal cancels the query. */
  async resolve(name: string, signal: AbortSignal): Promise<string[]> {
    const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: TRIES });
    if (this.servers) resolver.setServers(this.servers);
    const cancel = (): void => resolver.cancel();
    signal.addEventListener('abort', cancel);
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    signal.removeEventListener('abort', cancel);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : [])).slice(0, MAX_ADDRESSES);
  }

  /** Resolves a name as this machine does, with its hosts file. For the sandbox, where names such as `localhost` are allowed. */
  async resolveLocally(name: string, _signal: AbortSignal): Promise<string[]> {
    const found = await lookup(name, { all: true, order: 'ipv4first' }).catch(() => []);
    return found.map(({ address }) => address).slice(0, MAX_ADDRESSES);
  }
}
