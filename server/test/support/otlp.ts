import type { IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';

export interface ExportedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: Record<string, unknown>;
}

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number | string; doubleValue?: number };
}
type Sent = Omit<ExportedSpan, 'attributes'> & { attributes: Attribute[] };

/** The spans of a request of OTLP/HTTP in JSON. */
export async function spansIn(request: IncomingMessage): Promise<ExportedSpan[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const isPacked = request.headers['content-encoding'] === 'gzip';
  const { resourceSpans } = JSON.parse((isPacked ? gunzipSync(bytes) : bytes).toString()) as {
    resourceSpans: { scopeSpans: { spans: Sent[] }[] }[];
  };
  const sent = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  return sent.map((span) => ({
    ...span,
    attributes: Object.fromEntries(span.attributes.map(entry)),
  }));
}

function entry({ key, value }: Attribute): [string, unknown] {
  const { stringValue, intValue, doubleValue } = value;
  return [key, stringValue ?? (intValue === undefined ? doubleValue : Number(intValue))];
}
