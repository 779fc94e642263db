/** What commands tell the operator and print, until jest.restoreAllMocks(). */
export interface CommandOutput {
  told: string;
  printed: string;
}

export function captureOutput(): CommandOutput {
  const output = { told: '', printed: '' };
  jest.spyOn(console, 'error').mockImplementation((text) => void (output.told += `${String(text)}\n`));
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => ((output.told += String(text)), true));
  jest.spyOn(process.stdout, 'write').mockImplementation((text, written) => {
    output.printed += String(text);
    (written as unknown as () => void)();
    return true;
  });
  return output;
}
