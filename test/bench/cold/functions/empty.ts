/** The least that Lambda can call. */
export const handler = async () => ({ statusCode: 200 })
