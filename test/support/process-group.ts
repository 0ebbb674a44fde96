/** Processes on the chain of the shared service, with a database and an operator of their own. */
import { newDatabase, newOperatorKey, startBeside } from './operators';
import { sharedService, type Service } from './service';

export class ProcessGroup {
  private readonly processes: Service[] = [];

  private constructor(
    readonly databaseUrl: string,
    readonly operatorKey: string,
  ) {}

  static async create(): Promise<ProcessGroup> {
    const databaseUrl = await newDatabase(sharedService());
    return new ProcessGroup(databaseUrl, await newOperatorKey(sharedService(), databaseUrl));
  }

  async start(variables: Record<string, string> = {}): Promise<Service> {
    const { databaseUrl, operatorKey } = this;
    const service = await startBeside(sharedService(), { operatorKey, variables: { DATABASE_URL: databaseUrl, ...variables } });
    this.processes.push(service);
    return service;
  }

  async stop(): Promise<void> {
    for (const each of this.processes.splice(0)) await each.stop();
  }
}
