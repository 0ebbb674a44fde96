"""A stock seller: the session server of solana-pay-kit 0.10.0 behind a plain HTTP server. Prints its port.

GET of any path answers 402 without a credential, else what the server says, but
  /balk     500 to every voucher after the server took it
  /loses    500 to the first two top-ups after the server took them
  /refuses  402 to every top-up, which the server never sees
  /steals   402 to every top-up after the server took it
"""
import asyncio, base64, json, logging, sys, threading, warnings
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

warnings.simplefilter("ignore")
logging.disable(logging.WARNING)
from solders.keypair import Keypair
from solana_pay_kit._paycore.rpc import SolanaRpc
from solana_pay_kit.protocols.mpp.server.session_method import SessionChallengeOptions, SessionOptions, new_session
from solana_pay_kit.signer import LocalSigner


class Rpc(SolanaRpc):
    """The package's own client takes no Pubkey and returns base64: its session server expects owner and bytes."""

    async def get_account_info(self, key, commitment="confirmed"):
        value = (await self._call("getAccountInfo", [str(key), {"encoding": "base64", "commitment": commitment}]))["value"]
        return SimpleNamespace(value=value and SimpleNamespace(owner=value["owner"], data=base64.b64decode(value["data"][0])))


loop = asyncio.new_event_loop()
threading.Thread(target=loop.run_forever, daemon=True).start()
run = lambda work: asyncio.run_coroutine_threadsafe(work, loop).result()
o = json.loads(sys.argv[1])


async def make():
    key = Keypair.from_bytes(bytes(o["key"]))
    return new_session(
        SessionOptions(
            recipient=str(key.pubkey()),
            amount=o["amount"],
            currency=o["mint"],
            decimals=6,
            network="localnet",
            secret_key="x" * 32,
            realm="test",
            suggested_deposit=o["deposit"],
            fee_payer=o.get("fee_payer", True),
            grace_period_seconds=o.get("grace", 900),
            voucher_signer=o.get("voucher_signer", "client"),
            rpc=Rpc(o["rpc"]),
            signer=LocalSigner.from_keypair(key),
            token_program="TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
        )
    )


session = run(make())
lost = [True] * 1_000 + [None, None]


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        authorization = self.headers.get("authorization")
        action = json.loads(base64.urlsafe_b64decode(authorization[8:] + "==="))["payload"]["action"] if authorization else None
        seen = None if self.path == "/refuses" and action == "topUp" else authorization
        key = self.headers.get("idempotency-key") or ""
        answer = run(session.handle(seen, SessionChallengeOptions(), idempotency_key=key))
        status = answer.status
        if (self.path == "/balk" and action in ("voucher", "use")) or ((self.path, action) == ("/loses", "topUp") and lost.pop() is None):
            status = 500
        elif (self.path, action) == ("/steals", "topUp"):
            status = 402
        body = json.dumps(answer.body or {"ok": True, "action": action}).encode()
        self.send_response(status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
