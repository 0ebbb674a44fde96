export { MONTH_NAME, nameOf } from './months';
export { RecordFiles } from './records/record-files';
export { StatementQuery } from './statements.dto';
export { StatementsModule } from './statements.module';
export { StatementsService } from './statements.service';
