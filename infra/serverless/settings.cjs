// The framework can load CommonJS only; the settings are in settings.ts.
module.exports = async ({ resolveVariable }) => {
  const { settings, WrongParameters } = await import('./settings.ts')
  return settings(resolveVariable).catch(error => {
    // For an Error the framework would print the stack; its own ones it needs back.
    throw error instanceof WrongParameters ? error.message : error
  })
}
