/** The public face of transfers, for the features right of it. */
export { TransfersModule } from './transfers.module';
export { TransfersService } from './transfers.service';
export { ListTransfersQuery, type TransferView } from './transfers.dto';
