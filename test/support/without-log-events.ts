// The functions print their log events on standard output, also where a test runs the local service in its own process:
// leaves them out of the report.
const stdout = process.stdout
const { write } = Object.getPrototypeOf(stdout)
stdout.write = (text: string | Uint8Array, ...more: unknown[]) =>
  String(text).startsWith('{"timestamp":') || Reflect.apply(write, stdout, [text, ...more])
