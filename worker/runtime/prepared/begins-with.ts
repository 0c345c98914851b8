/** The Python function that reads whether a program may run in a process that has made its imports. Part of `prepareScript`. */
export const beginsWith = String.raw`
def begins_with(modules, source):
    """Whether the program imports a listed module before it executes anything but imports, and mentions no other listed one later.

    Whatever it executes before, such as a change of a variable, could change what an import does.
    """
    wanted = {module.partition(".")[0] for module in modules}
    found, statement, stopped = set(), [], None
    for token in tokenize.tokenize(io.BytesIO(source).readline):
        if token.type in (tokenize.ENCODING, tokenize.COMMENT, tokenize.NL):
            continue
        if token.type not in (tokenize.NEWLINE, tokenize.ENDMARKER) and token.string != ";":
            statement.append(token)
            continue
        if statement and statement[0].string in ("import", "from"):
            words = [word.string for word in statement]
            named = words[1:2] if words[0] == "from" else [b for a, b in zip(words, words[1:]) if a in ("import", ",")]
            found.update(wanted.intersection(named))
        elif any(word.type != tokenize.STRING for word in statement):
            stopped = statement[0].start[0]
            break
        statement = []
    rest = b"" if stopped is None else b"\n".join(source.split(b"\n")[stopped - 1 :])
    missing = wanted - found
    return bool(found) and not any(re.search(rb"\b%s\b" % name.encode(), rest) for name in missing)
`.trim()
