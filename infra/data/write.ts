/** Writes to standard output, and waits until it is written. An error ends the process. */
export const write = (text: string): Promise<void> =>
  new Promise(resolve => {
    process.stdout.write(text, error => {
      if (!error) resolve()
    })
  })
