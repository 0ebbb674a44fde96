import { Module } from '@nestjs/common';
import { PolicyService } from './policy.service';

/** Spending policies on chain. Their routes are in accounts, because an account shows its policy. */
@Module({ providers: [PolicyService], exports: [PolicyService] })
export class PolicyModule {}
