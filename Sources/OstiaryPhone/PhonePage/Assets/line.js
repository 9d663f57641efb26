// How the page speaks with the program of the phones.
//
// The page's address has two secrets in its fragment, which no browser sends. The first goes in a header of every call. The second goes nowhere: by it the
// page knows that an answer is of the program that it was opened for. When that program has ended, anybody may listen on its port, and draw a PIN pad here;
// so the first answer of another is the last, and so is a question for news that breaks off. A call may be on its way by then: what it says is sealed under
// a key that is made of the second secret, so that no other program reads it.
//
// What the phones show is asked for again and again: each question waits until something has changed.

const [secret = "", key = "", place] = location.hash.slice(1).split(".");
const text = new TextEncoder();
const proofKey = key && crypto.subtle?.importKey("raw", text.encode(key), { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
const sealKey = proofKey && makeSealKey();
// Of each call another nonce: what this page drew, and the number of the call.
const sender = crypto.getRandomValues(new Uint8Array(8));
let count = 0;

/** The one phone that this page shows, by its place; null for all of them. */
export const only = place === undefined ? null : Number(place);

let isOver = false;
let tellEnd = () => {};

/** Nothing is sent or believed from here on. */
function end(isClosed) {
  if (isOver) return;
  isOver = true;
  tellEnd(isClosed);
}

function bytes(hex) {
  return Uint8Array.from(hex?.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

async function makeSealKey() {
  const secrets = await crypto.subtle.importKey("raw", text.encode(key), "HKDF", false, ["deriveKey"]);
  const derivation = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: text.encode("ostiary phone page call") };
  return crypto.subtle.deriveKey(derivation, secrets, { name: "AES-GCM", length: 256 }, false, ["encrypt"]);
}

/** A body for the program alone, good for this path and once. */
async function seal(path, body) {
  const nonce = new Uint8Array(12);
  nonce.set(sender);
  new DataView(nonce.buffer).setUint32(8, count++);
  const algorithm = { name: "AES-GCM", iv: nonce, additionalData: text.encode(path) };
  return new Blob([nonce, await crypto.subtle.encrypt(algorithm, await sealKey, body)]);
}

/** An answer of the program. Throws when nobody answers, and when another does, which is the end. */
async function ask(path, options = {}) {
  if (isOver || !proofKey) throw new Error("over");
  const challenge = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const headers = { ...options.headers, "X-Phone-Page": secret, "X-Phone-Challenge": challenge };
  const answer = await fetch(path, { ...options, headers, cache: "no-store", redirect: "error" });
  const proof = bytes(answer.headers.get("X-Phone-Proof"));
  if (!(await crypto.subtle.verify("HMAC", await proofKey, proof, text.encode(challenge)))) end(false);
  if (isOver) throw new Error("over");
  return answer;
}

/** Calls `take` with all phones whenever something has changed. At the end, once, calls `lose` with whether the address is not the right one. */
export async function listen(take, lose) {
  tellEnd = lose;
  if (!proofKey) return end(true);
  let version = null;
  for (;;) {
    let told = null;
    try {
      const answer = await ask(version === null ? "/phones" : `/phones?after=${version}`);
      if (answer.status === 401) return end(true);
      if (answer.ok) told = await answer.json();
    } catch {
      return end(false);
    }
    version = told?.version ?? null;
    if (told && !isOver) take(told.phones);
    // It is the program, and has something else to do.
    if (!told) await new Promise((resume) => setTimeout(resume, 2000));
  }
}

/** What a call answers: `ok`, `status`, and `told`, the JSON of the answer. Null when the program does not answer. */
export async function call(phone, path, body) {
  const whole = `/phones/${phone}/${path}`;
  try {
    const plain = body instanceof Blob ? await body.arrayBuffer() : ArrayBuffer.isView(body) ? body : text.encode(JSON.stringify(body ?? {}));
    const answer = await ask(whole, { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: await seal(whole, plain) });
    return { ok: answer.ok, status: answer.status, told: await answer.json().catch(() => ({})) };
  } catch {
    // Too much was sent, perhaps. That the program has ended is known by the question that waits.
    return null;
  }
}

let last = Promise.resolve();

/** The same, behind all calls that were made so before: keys arrive in the order in which they were pressed. */
export function callInOrder(phone, path, body) {
  last = last.then(() => call(phone, path, body));
  return last;
}
