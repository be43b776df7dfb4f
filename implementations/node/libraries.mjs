// The libraries, from the folder that `build` filled. They are loaded by the paths of their files, because most of what
// is asked here is no part of what they export; a file is loaded once, whoever asks for it.

import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const MODULES = process.env.WIREPROOF_NODE_MODULES ?? ''
export const require = createRequire(pathToFileURL(join(MODULES, 'here')))

export async function load(path) {
  return import(pathToFileURL(join(MODULES, path)))
}

export function versionOf(library) {
  return require(join(MODULES, library, 'package.json')).version
}

// The names in a folder of a library.
export function list(path) {
  return readdirSync(join(MODULES, path)).sort()
}

// What reads a type's versions. `readers`: Map of version → function of the bytes, without a gap.
export function byVersion(readers) {
  const versions = [Math.min(...readers.keys()), Math.max(...readers.keys())]
  return { versions, decode: (data, version) => readers.get(version)(data) }
}
