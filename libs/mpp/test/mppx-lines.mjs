// Stock mppx in a process of its own, for it is an ES module: a JSON line in, `[name, ...arguments]`, and a line out.
import { createInterface } from 'node:readline';
import { Challenge, Credential, Receipt } from 'mppx';

const calls = {
  serialiseChallenge: Challenge.serialize,
  parseChallenges: (value) => Challenge.deserializeList(value),
  parseCredential: Credential.deserialize,
  serialiseCredential: Credential.serialize,
  serialiseReceipt: Receipt.serialize,
  parseReceipt: Receipt.deserialize,
};

for await (const line of createInterface({ input: process.stdin })) {
  const [name, ...args] = JSON.parse(line);
  let answer;
  try {
    answer = { result: calls[name](...args) };
  } catch (error) {
    answer = { error: String(error.message ?? error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
