/** Lists: a page at a time, or every entry by `for await`. */

/** A page as the service answers it. */
export interface PageBody<T> {
  data: T[];
  cursor: string | null;
  has_more: boolean;
}

/** One page of a list, newest first. Iterating over it goes on with the following pages. */
export class Page<T> implements AsyncIterable<T> {
  readonly data: T[];
  /** The beginning of the next page; null on the last one. */
  readonly cursor: string | null;

  constructor(
    { data, cursor }: PageBody<T>,
    private readonly read: (cursor: string) => Promise<Page<T>>,
  ) {
    this.data = data;
    this.cursor = cursor;
  }

  hasNextPage(): boolean {
    return this.cursor !== null;
  }

  /** @throws Error on the last page. */
  async getNextPage(): Promise<Page<T>> {
    if (this.cursor === null) throw new Error('There is no next page: check hasNextPage() first.');
    return this.read(this.cursor);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    yield* this.data;
    for (let page: Page<T> = this; page.hasNextPage(); ) {
      page = await page.getNextPage();
      yield* page.data;
    }
  }
}

/** `await` it for the first page, or `for await` over it for every entry of all pages. */
export class PagePromise<T> implements PromiseLike<Page<T>>, AsyncIterable<T> {
  private first: Promise<Page<T>> | undefined;

  constructor(private readonly read: (cursor?: string) => Promise<PageBody<T>>) {}

  then<Result = Page<T>, Failure = never>(
    onFulfilled?: ((page: Page<T>) => Result | PromiseLike<Result>) | null,
    onRejected?: ((reason: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Result | Failure> {
    return this.start().then(onFulfilled, onRejected);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    yield* await this.start();
  }

  private start(): Promise<Page<T>> {
    this.first ??= this.page();
    return this.first;
  }

  private async page(cursor?: string): Promise<Page<T>> {
    return new Page(await this.read(cursor), (next) => this.page(next));
  }
}
