import { join } from 'node:path'
import ts from 'typescript'
import { root } from '../../run/settings.mjs'

/** The compiler's options of the project. Its files are not listed, which takes a second. */
function readOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  return ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, root).options
}

/** Packages whose types are large and that no example is about. They are `any` here, which saves half of the time. */
const untyped = /^(?:next|@aws-sdk|lucide-react|@radix-ui|@tanstack|dockerode)(?:\/|$)/
const declarations = join(root, 'untyped.d.ts')

/**
 * Compiles files with changed texts, by path in the project.
 * @param files the files whose errors are wanted. What they import is read, but not checked.
 */
export function compileOverlay(texts: ReadonlyMap<string, string>, files: readonly string[]): string[] {
  // A parameter of an untyped package has no type.
  const options = { ...readOptions(), incremental: false, noEmit: true, noImplicitAny: false }
  const host = ts.createCompilerHost(options, true)
  const changed = new Map([...texts].map(([file, text]) => [join(root, file), text]))
  const any = ['next/*', '@aws-sdk/*', 'lucide-react', '@radix-ui/*', '@tanstack/*', 'dockerode']
  changed.set(declarations, any.map((name) => `declare module '${name}'`).join('\n'))
  const { fileExists, readFile } = host
  host.fileExists = (file) => changed.has(file) || fileExists(file)
  host.readFile = (file) => changed.get(file) ?? readFile(file)
  const cache = ts.createModuleResolutionCache(root, (name) => name, options)
  host.resolveModuleNameLiterals = (literals, from) =>
    literals.map(({ text }) =>
      untyped.test(text)
        ? { resolvedModule: undefined }
        : ts.resolveModuleName(text, from, options, host, cache),
    )
  const program = ts.createProgram([declarations, ...files.map((file) => join(root, file))], options, host)
  const problems = files.flatMap((file) => {
    const source = program.getSourceFile(join(root, file))
    return source
      ? [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
      : []
  })
  return problems.map(describeProblem)
}

function describeProblem({ file, start = 0, messageText }: ts.Diagnostic): string {
  const line = file ? ts.getLineAndCharacterOfPosition(file, start).line + 1 : 0
  return `${file?.fileName.slice(root.length + 1)}:${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
}
