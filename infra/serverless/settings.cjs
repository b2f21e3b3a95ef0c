// The framework loads CommonJS only; what the settings are is said in settings.ts.
module.exports = async ({ resolveVariable }) => {
  const { settings } = await import('./settings.ts')
  return settings(resolveVariable)
}
