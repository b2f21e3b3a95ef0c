/** A set of UUIDs in about 30 bytes each. */
export function idSet() {
  // Four words per place; four zeros mark a free place.
  let words = new Uint32Array(4 * 1024)
  let size = 0
  let hasNil = false

  const put = (a: number, b: number, c: number, d: number): boolean => {
    const places = words.length / 4
    for (let place = hash(a, b, c, d) % places; ; place = (place + 1) % places) {
      const at = place * 4
      if (words[at] === a && words[at + 1] === b && words[at + 2] === c && words[at + 3] === d) return false
      if (!words[at] && !words[at + 1] && !words[at + 2] && !words[at + 3]) {
        words.set([a, b, c, d], at)
        return true
      }
    }
  }

  const grow = () => {
    const old = words
    words = new Uint32Array(old.length * 2)
    for (let at = 0; at < old.length; at += 4) {
      const [a = 0, b = 0, c = 0, d = 0] = old.subarray(at, at + 4)
      if (a || b || c || d) put(a, b, c, d)
    }
  }

  return {
    /** @returns whether the UUID is new */
    add(uuid: string): boolean {
      const hex = uuid.replaceAll('-', '')
      const word = (index: number) => Number.parseInt(hex.slice(index * 8, index * 8 + 8), 16)
      const [a, b, c, d] = [word(0), word(1), word(2), word(3)]
      if (!a && !b && !c && !d) {
        const isNew = !hasNil
        hasNil = true
        return isNew
      }
      if (size * 16 >= words.length * 3) grow()
      const isNew = put(a, b, c, d)
      if (isNew) size += 1
      return isNew
    },
  }
}

/** FNV-1a over the words, mixed once more so that consecutive ids are not adjacent. */
function hash(...ids: number[]): number {
  let sum = 0x811c9dc5
  for (const word of ids) sum = Math.imul(sum ^ word, 0x01000193)
  sum ^= sum >>> 15
  return Math.imul(sum, 0x2c1b3c6d) >>> 0
}
