import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In } from 'typeorm';
import { Chain, type IncomingMovement } from '#chain';
import { Account } from '../account.entity';

/** The purpose of a payment to an account of this service. */
export interface PaymentIds {
  paymentId: string | null;
  sessionId: string | null;
}

/** A payment that another account of this service made by a charge, a purse or a session. */
export interface IncomingPayment extends PaymentIds {
  microUsdc: bigint;
  /** The payer's id, or its chain address if it is another operator's. */
  counterparty: string;
}

/** Finds the payment or the session behind a movement. A feature right of this one has them, and registers itself here. */
export interface PaymentFinder {
  idsOf(movement: IncomingMovement, payer: Account): Promise<PaymentIds>;
  /** The id of the account whose payment channel paid it; undefined for what came from elsewhere. */
  payerByChannel(movement: IncomingMovement): Promise<string | undefined>;
}

const NO_IDS: PaymentIds = { paymentId: null, sessionId: null };

/** Tells payments of accounts of this service from deposits. */
@Injectable()
export class IncomingPayments {
  private finder: PaymentFinder | undefined;

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly chain: Chain,
  ) {}

  register(finder: PaymentFinder): void {
    this.finder = finder;
  }

  /**
   * The payments to an account in a transaction, up to an amount. What the accounts' own transfers moved is not among them: the payer
   * records it. @throws ChainUnavailableError
   */
  async paymentsIn(
    { operatorId, tokenAccount }: { operatorId: string; tokenAccount: string },
    signature: string,
    upToMicroUsdc: bigint,
  ): Promise<IncomingPayment[]> {
    const movements = await this.chain.history.movedInto(tokenAccount, signature);
    const payers = await this.payersOf(movements);
    const payments: IncomingPayment[] = [];
    let left = upToMicroUsdc;
    for (const movement of movements) {
      const { microUsdc, source, session, authority } = movement;
      const payer = payers.get(session?.account ?? source) ?? (await this.payerByChannel(movement));
      if (!payer || authority === payer.chainAddress || microUsdc > left) continue;
      left -= microUsdc;
      const isOwn = payer.operatorId === operatorId;
      const ids = isOwn ? ((await this.finder?.idsOf(movement, payer)) ?? NO_IDS) : NO_IDS;
      payments.push({ microUsdc, counterparty: isOwn ? payer.id : payer.chainAddress, ...ids });
    }
    return payments;
  }

  private async payerByChannel(movement: IncomingMovement): Promise<Account | undefined> {
    const id = await this.finder?.payerByChannel(movement);
    return id === undefined ? undefined : ((await this.database.manager.findOneBy(Account, { id })) ?? undefined);
  }

  /** The accounts of this service that a movement came from, by token account, and by chain address if a session paid. */
  private async payersOf(movements: IncomingMovement[]): Promise<Map<string, Account>> {
    if (movements.length === 0) return new Map();
    const [sources, addresses] = [movements.map(({ source }) => source), movements.flatMap(({ session }) => session?.account ?? [])];
    const accounts = await this.database.manager.find(Account, {
      where: [{ usdcTokenAccount: In(sources) }, { chainAddress: In(addresses) }],
    });
    return new Map(
      accounts.flatMap((account) => [
        [account.usdcTokenAccount, account],
        [account.chainAddress, account],
      ]),
    );
  }
}
