// The framework can load CommonJS only; the settings are in settings.ts.
module.exports = async ({ resolveVariable }) => {
  const { settings } = await import('./settings.ts')
  return settings(resolveVariable)
}
