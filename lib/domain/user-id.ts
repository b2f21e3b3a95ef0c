/** Whether a text is a user's id: a UUID (RFC 9562 §4) in lower case. */
export const isUserId = (text: string): boolean => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(text)
