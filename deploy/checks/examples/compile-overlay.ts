import { existsSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { root } from '../../run/settings.mjs'

/** The compiler's options of the project. Its files are not listed, which takes a second. */
function readOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  return ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, root).options
}

/**
 * Compiles files with changed texts, by path in the project.
 * @param files the files whose errors are wanted. What they import is read, but not checked.
 */
export function compileOverlay(texts: ReadonlyMap<string, string>, files: readonly string[]): string[] {
  const options = { ...readOptions(), incremental: false, noEmit: true }
  const host = ts.createCompilerHost(options, true)
  const changed = new Map([...texts].map(([file, text]) => [join(root, file), text]))
  const { fileExists, readFile } = host
  host.fileExists = (file) => changed.has(file) || fileExists(file)
  host.readFile = (file) => changed.get(file) ?? readFile(file)
  const globals = ['next-env.d.ts'].map((file) => join(root, file)).filter(existsSync)
  const program = ts.createProgram([...files.map((file) => join(root, file)), ...globals], options, host)
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
