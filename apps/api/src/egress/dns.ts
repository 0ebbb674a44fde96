/** Names to addresses, for URLs that a caller named. */
import { lookup, Resolver } from 'node:dns/promises';

/** How long one question to a name server may take, and how often it is asked. */
const QUESTION_TIMEOUT_MS = 3_000;
const TRIES = 2;
/** More addresses of a name than this are not looked at: all that are looked at are judged, and only they are connected to. */
const MAX_ADDRESSES = 16;

/** Asks the name servers without holding a thread: a name whose server hangs delays nobody else's. */
export class OutsideNames {
  /** @param servers Name servers, `address:port`, in place of the machine's. */
  constructor(private readonly servers?: string[]) {}

  /** The addresses that the name servers know, IPv4 first. Empty when there are none, or when the signal ends the asking. */
  async resolve(name: string, signal: AbortSignal): Promise<string[]> {
    const resolver = new Resolver({ timeout: QUESTION_TIMEOUT_MS, tries: TRIES });
    if (this.servers) resolver.setServers(this.servers);
    const cancel = (): void => resolver.cancel();
    signal.addEventListener('abort', cancel);
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    signal.removeEventListener('abort', cancel);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : [])).slice(0, MAX_ADDRESSES);
  }

  /** As this machine itself would: with its hosts file. For the sandbox, where names such as `localhost` may be meant. */
  async resolveHere(name: string, _signal: AbortSignal): Promise<string[]> {
    const found = await lookup(name, { all: true, order: 'ipv4first' }).catch(() => []);
    return found.map(({ address }) => address).slice(0, MAX_ADDRESSES);
  }
}
