import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { Chain, ChainRefusedError } from '#chain';
import { AccountsService, AccountViews } from '../accounts';
import { Caller } from '../http/caller';
import { Answers } from '../http/answers';
import { IsText, IsUsdcAmount, IsWholeNumber } from '../http/validation/checks';
import { ACCOUNT_MISSING, ChainUnavailable, InvalidRequest, NotFound } from '../http/domain.errors';
import { parseUsdc } from '../money/usdc';

/** The longest advance of the clock: a year. */
const MAX_ADVANCE_SECONDS = 31_536_000;

/** The largest balance that the database can store. */
const MAX_BALANCE_MICRO_USDC = 2n ** 63n - 1n;

class FaucetDto {
  @IsText({ min: 1, max: 128 })
  account_id: string;

  /** USDC to mint, as a decimal string. */
  @IsUsdcAmount()
  amount: string;
}

class AdvanceClockDto {
  @IsWholeNumber({ min: 1, max: MAX_ADVANCE_SECONDS })
  advance_seconds: number;
}

/** Faucet and clock of a local chain. On other chains these routes do not exist. */
@Controller('sandbox')
export class SandboxController {
  constructor(
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly views: AccountViews,
  ) {}

  /** Mints test USDC to an account. */
  @Post('faucet')
  @HttpCode(200)
  @Answers({ errors: ['not_found', 'chain_unavailable'] })
  async faucet(
    @Body() { account_id, amount }: FaucetDto,
    @Caller() caller: Caller,
  ): Promise<{ tx_signature: string; balance_usdc: string }> {
    if (!this.chain.controlsMint) throw new NotFound('There is no such route.');
    const account = await this.accounts.find(caller.operatorId, account_id);
    const [before] = await this.chain.accounts.balances([account.usdcTokenAccount]);
    if (before === null) throw new ChainUnavailable(ACCOUNT_MISSING);
    const microUsdc = parseUsdc(amount);
    if ((before ?? 0n) + microUsdc > MAX_BALANCE_MICRO_USDC)
      throw InvalidRequest.field('amount', 'is more than an account can hold, with what it has');
    const { signature: tx_signature, slot } = await this.mint(account.usdcTokenAccount, microUsdc);
    await this.accounts.noteChange(account.id, slot);
    return { tx_signature, balance_usdc: (await this.views.balance(caller.operatorId, account_id)).balance_usdc };
  }

  private async mint(tokenAccount: string, microUsdc: bigint): Promise<{ signature: string; slot: number }> {
    try {
      return await this.chain.mint(tokenAccount, microUsdc);
    } catch (error) {
      if (error instanceof ChainRefusedError) throw InvalidRequest.field('amount', 'is more than the mint can still issue');
      throw error;
    }
  }

  /** Moves the chain's clock forward. */
  @Post('clock')
  @HttpCode(200)
  @Answers({ errors: ['not_found', 'chain_unavailable'] })
  async clock(@Body() { advance_seconds }: AdvanceClockDto): Promise<{ now: string }> {
    const now = await this.chain.advanceClock(advance_seconds);
    if (now === null) throw new NotFound('There is no such route.');
    return { now: now.toISOString() };
  }
}
