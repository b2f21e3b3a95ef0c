import { CommanderError } from '@commander-js/extra-typings'
import { sentenceOf } from '../../infra/command-line/sentence-of.ts'

/** The lines of progress, one every ten seconds: their number depends on the machine. */
export const progress = /^[a-z ]+: (?:\[[=-]+\] )?\d+(?: of \d+)?(?:, \w+ left)?\n\n/gm

/** Runs work in this process. @returns what it prints, without lines of progress, and its exit code */
export async function captured(work: () => Promise<unknown>) {
  const printed = { stdout: '', stderr: '' }
  const streams = (['stdout', 'stderr'] as const).map(name => {
    const stream = process[name]
    const { write } = stream
    stream.write = (text: string | Uint8Array, ...more: unknown[]) => {
      printed[name] += text
      const written = more.at(-1)
      if (typeof written === 'function') written()
      return true
    }
    return () => {
      stream.write = write
    }
  })
  process.exitCode = undefined
  try {
    const returned = await work()
    return outcome(Number(process.exitCode ?? returned ?? 0))
  } catch (error) {
    if (error instanceof CommanderError) return outcome(error.exitCode)
    printed.stderr += `${sentenceOf(error as Error)}\n`
    return outcome(Number(process.exitCode ?? 1))
  } finally {
    for (const restore of streams) restore()
    process.exitCode = undefined
  }
  function outcome(code: number) {
    return { code, stdout: printed.stdout, stderr: printed.stderr.replace(progress, '') }
  }
}
