import { getSystemErrorMap } from 'node:util'

const remedies: Record<string, string> = {
  EACCES: 'it is not permitted; check its owner and permissions',
  EPERM: 'it is not permitted; check its owner and permissions',
  EROFS: 'its file system is read-only; choose another place',
  ENOSPC: 'the disk is full; free some space',
  EDQUOT: 'the disk quota is used up; free some space',
  ENOENT: 'it does not exist; check the path',
  ENOTDIR: 'a part of its path is not a folder; check the path',
  EFBIG: 'it is larger than this user may write; raise the limit with ulimit -f',
  EISDIR: 'it is a folder; give the path of a file',
  EEXIST: 'it is a file, and a folder is needed; rename the file',
  EMFILE: 'too many files are open; raise the limit with ulimit -n',
}

/** For an error of the file system, the file and the remedy; for any other error, its message. */
export function sentenceOf(error: NodeJS.ErrnoException): string {
  const { code = '', syscall, path, message } = ofLevelDb(error) ?? error
  const remedy = remedies[code]
  // Node does not name the file of a write.
  const file = path ?? (syscall === 'write' ? 'A file' : undefined)
  return file === undefined || remedy === undefined ? message : `${file} cannot be used: ${remedy}.`
}

/** The error of the file system in one of LevelDB, such as `IO error: /folder/000003.log: No space left on device`. */
function ofLevelDb({ message }: Error): NodeJS.ErrnoException | undefined {
  const [text, path, reason] = /^IO error: (.+): (.+)$/.exec(message) ?? []
  if (text === undefined || reason === undefined) return undefined
  const [code] = [...getSystemErrorMap().values()].find(([, known]) => known === reason.toLowerCase()) ?? []
  return Object.assign(new Error(text), { code, path })
}
