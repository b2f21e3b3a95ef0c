/**
 * Whether a text is a user's id: a UUID in lower case.
 *
 * @see RFC 9562 §4 (the form)
 * @example
 * isUserId('5a3d1c9e-7b42-4f06-9d18-c0ffee000002') // true
 * isUserId('5A3D1C9E-7B42-4F06-9D18-C0FFEE000002') // false
 */
export const isUserId = (text: string): boolean => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(text)
