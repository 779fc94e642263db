// Traces with OpenTelemetry, without a line in the service:
//   npm i @opentelemetry/sdk-trace-node @opentelemetry/resources @opentelemetry/exporter-trace-otlp-http \
//     @opentelemetry/instrumentation @opentelemetry/instrumentation-http
//   OTEL_SERVICE_NAME=pet-user-service node --require ./docs/tracing.cjs dist/main.js
// OTEL_EXPORTER_OTLP_ENDPOINT says where the spans go (http://localhost:4318).
const { OTLPTraceExporter } = require('@opentelemetry/exporter-trace-otlp-http');
const { registerInstrumentations } = require('@opentelemetry/instrumentation');
const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http');
const { detectResources, envDetector } = require('@opentelemetry/resources');
const { BatchSpanProcessor, NodeTracerProvider } = require('@opentelemetry/sdk-trace-node');

new NodeTracerProvider({
  resource: detectResources({ detectors: [envDetector] }),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
}).register();
registerInstrumentations({
  instrumentations: [
    new HttpInstrumentation({
      // A log-in has its password in the query: no span may carry one.
      startIncomingSpanHook: () => ({ 'url.query': undefined }),
      ignoreIncomingRequestHook: ({ url }) => url.startsWith('/health/'),
    }),
  ],
});
