/** What transfers offers to the features right of it. */
export { TransfersModule } from './transfers.module';
export { TransfersService } from './transfers.service';
export { ListTransfersQuery, type TransferView } from './transfers.dto';
