const sentences: Readonly<Record<string, string>> = {
  CredentialsSignin: 'The e-mail address or the password is wrong.',
  AccessDenied: 'This account may not sign in here. Ask your admin for an invitation.',
  OAuthAccountNotLinked: 'Another way of signing in belongs to this e-mail address. Use that one.',
  SessionRequired: 'Sign in to go on.',
}

const anyOther = 'Signing in did not work. Try again.'

/** The sentence for an error's name in the page's address. Only known names count: a link must not put words on the page. */
export function describeErrorName(name: string): string {
  return sentences[name] ?? anyOther
}

/** The sentence for what the server itself answered to a sign-in: a name, or already a sentence. */
export function describeAnswer(error: string | null): string {
  if (error === null) return anyOther
  return sentences[error] ?? (error.includes(' ') ? error : anyOther)
}
