/** Names to addresses, for URLs that a caller named. */
import { lookup, Resolver } from 'node:dns/promises';

/** How long one question to a name server may take, and how often it is asked. */
const QUESTION_TIMEOUT_MS = 3_000;
const TRIES = 2;
/** More addresses of a name than this are not looked at: all that are looked at are judged, and only they are connected to. */
const MAX_ADDRESSES = 16;

/** Asks the name servers without holding a thread: a name whose server hangs delays nobody else's. */
export class OutsideNames {
  private readonly resolver = new Resolver({ timeout: QUESTION_TIMEOUT_MS, tries: TRIES });

  /** @param servers Name servers, `address:port`, in place of the machine's. */
  constructor(servers?: string[]) {
    if (servers) this.resolver.setServers(servers);
  }

  /** The addresses that the name servers know, IPv4 first. Empty when there are none. */
  async resolve(name: string): Promise<string[]> {
    const answers = await Promise.allSettled([this.resolver.resolve4(name), this.resolver.resolve6(name)]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : [])).slice(0, MAX_ADDRESSES);
  }

  /** As this machine itself would: with its hosts file. For the sandbox, where names such as `localhost` may be meant. */
  async resolveHere(name: string): Promise<string[]> {
    const found = await lookup(name, { all: true, order: 'ipv4first' }).catch(() => []);
    return found.map(({ address }) => address).slice(0, MAX_ADDRESSES);
  }
}
