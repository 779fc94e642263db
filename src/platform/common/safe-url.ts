/** An address of http or https alone: without credentials, query or fragment. */
export function isPlainUrl(text: string): boolean {
  if (!URL.canParse(text) || /[?#\s]/.test(text)) {
    return false;
  }
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

/** One that secrets may travel to: https, or http on this machine. */
export function isSafeUrl(text: string): boolean {
  return (
    isPlainUrl(text) && (/^https:/i.test(text) || ['localhost', '127.0.0.1', '[::1]'].includes(new URL(text).hostname))
  );
}
