"""A provider of a host with access tokens that expire, and refresh tokens that are good once; wrong in one way with a name."""
import sys

from coursefetch_provider import Provider, ProviderError, run, url

FAULT = sys.argv[1] if len(sys.argv) > 1 else ""


class Portal(Provider):
    def refreshed(self, request, old):
        if "refresh" not in (old or {}):
            raise ProviderError("auth_required", "there is no login")
        grant = "passwrod" if FAULT == "typo" else "refresh_token"
        answer = request.post(url(request.parameter("endpoint"), "token"), form={
            "grant_type": grant, "refresh_token": old["refresh"]}).json()
        return {"access": answer["access_token"], "refresh": answer["refresh_token"]}

    def get(self, request, address):
        def answer():
            token = (request.credentials or {}).get("access", "none")
            return request.get(address, headers={"Authorization": "Bearer " + token}, accept=[401])

        response = answer()
        if response.status == 401:
            if FAULT in ("each", "loses"):
                request.credentials = self.refreshed(request, request.credentials)
            else:
                request.renew(lambda old: self.refreshed(request, old))
            response = answer()
        if response.status == 401:
            raise ProviderError("auth_required", "the login isn't accepted")
        return response.json()

    def with_credentials(self, request, result):
        return {**result, "credentials": request.credentials} if FAULT in ("each", "loses") else result

    def list(self, request):
        count = 15 if FAULT == "count" else 100
        listed = self.get(request, url(request.parameter("endpoint"), "videos", count=count))
        return self.with_credentials(request, {"videos": listed["videos"]})

    def resolve(self, request):
        video = self.get(request, url(request.parameter("endpoint"), "videos", request.video.id))
        size = 1 if FAULT == "size" else video["size"]
        return self.with_credentials(request, {"url": video["file"], "size": size})


run(Portal(), concurrency=1 if FAULT == "loses" else 4)
