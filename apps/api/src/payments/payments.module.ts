import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts';
import { EgressClient } from '../egress/egress-client';
import { EventsModule } from '../events';
import { JobsModule } from '../jobs/jobs.module';
import { KeysModule } from '../keys';
import { LedgerModule } from '../ledger';
import { OrdersModule } from '../orders';
import { ProvidersModule } from '../providers';
import { ChannelsModule } from '../channels';
import { PursesModule } from '../purses';
import { SecretsModule } from '../secrets';
import { SessionsModule } from '../sessions';
import { Credentials } from './process/credentials';
import { ChargeApproval } from './methods/charge/charge-approval';
import { ChargeHandler } from './methods/charge/charge.handler';
import { ChargeEndings } from './methods/charge/charge-endings';
import { ChargeSettlement } from './methods/charge/charge-settlement';
import { ChargeStore } from './methods/charge/charge.store';
import { ChannelFunding } from './methods/channel/channel-funding';
import { ChannelMethod } from './methods/channel/channel';
import { ChannelPaymentStore } from './methods/channel/channel-payment.store';
import { ChannelSettlement } from './methods/channel/channel-settlement';
import { ChannelSigning } from './methods/channel/channel-signing';
import { FundedPayments } from './methods/channel/funded-payments';
import { ChannelOpenings } from './methods/channel-session/channel-openings';
import { BatchMethod } from './methods/batch/batch';
import { BatchCredentials } from './methods/batch/batch-credentials';
import { BatchCorrections } from './methods/batch/batch-corrections';
import { BatchOpenings } from './methods/batch/batch-openings';
import { BatchTopUps } from './methods/batch/batch-top-ups';
import { ChannelSellers } from './methods/channel-session/channel-sellers';
import { ChannelTopUps } from './methods/channel-session/channel-top-ups';
import { ChannelSessionMethod } from './methods/channel-session/channel-session';
import { VoucherChannels } from './methods/channel-session/voucher-channels';
import { ChannelSessionPurses } from './methods/channel-session/channel-session-purses';
import { ChannelSessionStore } from './methods/channel-session/channel-session.store';
import { ChargeTransactions } from './methods/charge/charge-transactions';
import { EvidenceSeals } from './evidence/evidence-seals';
import { EvidenceService } from './evidence/evidence.service';
import { EvidenceStore } from './evidence/evidence.store';
import { KeptAnswers } from './provider/kept-answers';
import { LiveAnswers } from './provider/live-answers';
import { MppChargeMethod } from './methods/charge/mpp-charge';
import { PaymentFinality } from './methods/payment-finality';
import { PaymentMethods } from './methods/payment-methods';
import { PurseClosingController } from './methods/purse/purse-closing.controller';
import { PurseClosingService } from './methods/purse/purse-closing.service';
import { PurseBounds } from './methods/purse/purse-bounds';
import { PurseMethod } from './methods/purse/purse';
import { PursePaymentStore } from './methods/purse/purse-payment.store';
import { PurseSettlement } from './methods/purse/purse-settlement';
import { VoucherMethod } from './methods/voucher/voucher';
import { SessionOpenings } from './methods/voucher/session-openings';
import { VoucherStore } from './methods/voucher/voucher.store';
import { X402ChargeMethod } from './methods/charge/x402-charge';
import { X402Transfers } from './methods/x402-transfers';
import { Vouchers } from './methods/voucher/vouchers';
import { DirectTransferHandler } from './methods/transfer/direct-transfer.handler';
import { DirectTransfers } from './methods/transfer/direct-transfers';
import { SellerAnswers } from './methods/transfer/seller-answers';
import { TransferMethod } from './methods/transfer/transfer';
import { TransferStore } from './methods/transfer/transfer.store';
import { Payment } from './payment.entity';
import { PaymentClaims } from './process/payment-claims';
import { PaymentDecisions } from './process/payment-decisions';
import { PaymentDrafts } from './process/payment-drafts';
import { PaymentDryRuns } from './process/payment-dry-runs';
import { PaymentExecutions } from './process/payment-executions';
import { PaymentForecasts } from './process/payment-forecasts';
import { PaymentFunding } from './process/payment-funding';
import { PaymentKeys } from './process/payment-keys';
import { PaymentOrigins } from './lists/payment-origins';
import { PaymentProcess } from './process/payment-process';
import { PaymentReader } from './lists/payment-reader';
import { PaymentReceipts } from './lists/payment-receipts';
import { PaymentStore } from './payment.store';
import { PaymentsController } from './payments.controller';
import { PaymentListsService } from './lists/payment-lists.service';
import { PaymentsService } from './payments.service';
import { ProviderAnswers } from './provider/provider-answers';
import { ProviderCalls } from './provider/provider-calls';
import { ProviderClient } from './provider/provider-client';
import { RepeatedPayments } from './process/repeated-payments';

/** Payments to providers that answer HTTP 402. */
@Module({
  imports: [
    TypeOrmModule.forFeature([Payment]),
    SecretsModule,
    KeysModule,
    EventsModule,
    LedgerModule,
    AccountsModule,
    OrdersModule,
    ProvidersModule,
    SessionsModule,
    PursesModule,
    ChannelsModule,
    JobsModule,
  ],
  controllers: [PaymentsController, PurseClosingController],
  providers: [
    PaymentsService,
    PaymentDrafts,
    PaymentClaims,
    PaymentFunding,
    PaymentReader,
    PaymentReceipts,
    PaymentDryRuns,
    PaymentDecisions,
    PaymentListsService,
    PaymentProcess,
    PaymentForecasts,
    PaymentExecutions,
    PaymentStore,
    PaymentKeys,
    PaymentOrigins,
    PaymentMethods,
    VoucherMethod,
    VoucherStore,
    SessionOpenings,
    Vouchers,
    ChannelMethod,
    ChannelFunding,
    ChannelSettlement,
    ChannelSigning,
    FundedPayments,
    ChannelPaymentStore,
    ChannelSessionMethod,
    ChannelSessionPurses,
    ChannelSessionStore,
    ChannelOpenings,
    ChannelSellers,
    VoucherChannels,
    BatchMethod,
    BatchCredentials,
    BatchCorrections,
    BatchOpenings,
    BatchTopUps,
    ChannelTopUps,
    PurseMethod,
    PurseBounds,
    PursePaymentStore,
    PurseSettlement,
    PurseClosingService,
    PaymentFinality,
    TransferMethod,
    TransferStore,
    DirectTransfers,
    DirectTransferHandler,
    SellerAnswers,
    MppChargeMethod,
    X402ChargeMethod,
    X402Transfers,
    ChargeStore,
    ChargeHandler,
    ChargeApproval,
    ChargeEndings,
    ChargeSettlement,
    ChargeTransactions,
    EvidenceService,
    EvidenceStore,
    EvidenceSeals,
    ProviderAnswers,
    KeptAnswers,
    LiveAnswers,
    ProviderCalls,
    ProviderClient,
    RepeatedPayments,
    Credentials,
    EgressClient,
  ],
  exports: [ChargeSettlement, PaymentForecasts, PaymentListsService, PurseClosingService],
})
export class PaymentsModule {}
