import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { JobsModule } from '../jobs/jobs.module';
import { SecretsModule } from '../secrets';
import { SignatureRequest } from './signature-request.entity';
import { SignatureRequestsController } from './signature-requests.controller';
import { OperatorActions } from './operator-action';
import { SignatureRequestsService } from './signature-requests.service';
import { SignatureRequestsStore } from './signature-requests.store';

/** Signatures of operators who hold their chain key themselves. */
@Module({
  imports: [TypeOrmModule.forFeature([SignatureRequest]), SecretsModule, JobsModule],
  controllers: [SignatureRequestsController],
  providers: [OperatorActions, SignatureRequestsService, SignatureRequestsStore],
  exports: [OperatorActions, SignatureRequestsService],
})
export class SignaturesModule {}
