// A stock MCP server with one paid tool, `report`, as the x402 transport for MCP says: without a payment the tool's result is the
// PaymentRequired; with one in _meta["x402/payment"] it works, settles, and returns the settlement in _meta["x402/payment-response"].
import { fromJsonSchema, createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { HTTPFacilitatorClient } from '@x402/core/http';
import { x402ResourceServer } from '@x402/core/server';
import { ExactSvmScheme } from '@x402/svm/exact/server';
import express from 'express';
import { serve, settings, startFacilitator } from './seller.mjs';

const { mint, network, payTo, price } = settings;
const resources = new x402ResourceServer(new HTTPFacilitatorClient({ url: await startFacilitator() })).register(
  network,
  new ExactSvmScheme(),
);
await resources.initialize();
const accepts = await resources.buildPaymentRequirements({
  scheme: 'exact',
  network,
  payTo,
  price: { asset: mint, amount: price },
  maxTimeoutSeconds: 60,
});

async function report(payment) {
  if (!payment) return asked('Payment required');
  const requirements = resources.findMatchingRequirements(accepts, payment);
  if (!requirements) return asked('No such offer');
  const verified = await resources.verifyPayment(payment, requirements);
  if (!verified.isValid) return asked(verified.invalidReason);
  const settlement = await resources.settlePayment(payment, requirements);
  if (!settlement.success) return asked(settlement.errorReason);
  return { content: [{ type: 'text', text: 'the report' }], _meta: { 'x402/payment-response': settlement } };
}

async function asked(error) {
  const required = await resources.createPaymentRequiredResponse(accepts, { url: 'mcp://tool/report' }, error);
  return { isError: true, structuredContent: required, content: [{ type: 'text', text: JSON.stringify(required) }] };
}

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'seller', version: '1.0.0' });
  const config = { description: 'A paid report.', inputSchema: fromJsonSchema({ type: 'object', properties: {} }) };
  server.registerTool('report', config, (_args, context) => report(context.mcpReq._meta?.['x402/payment']));
  return server;
});
const handle = toNodeHandler(handler);
const app = express();
app.all('/mcp', (request, response) => void handle(request, response));
await serve(app);
