// libcurl's option calls are variadic macros, which Swift can't call: one typed inline function per argument type.
#ifndef COURSEFETCH_CLIBCURL_SHIM_H
#define COURSEFETCH_CLIBCURL_SHIM_H

#include <curl/curl.h>

typedef size_t (*cf_data_callback)(char *, size_t, size_t, void *);
typedef int (*cf_prerequest_callback)(void *, char *, char *, int, int);

static inline CURLcode cf_set_long(CURL *easy, CURLoption option, long value) {
    return (curl_easy_setopt)(easy, option, value);
}
static inline CURLcode cf_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return (curl_easy_setopt)(easy, option, value);
}
static inline CURLcode cf_set_string(CURL *easy, CURLoption option, const char *value) {
    return (curl_easy_setopt)(easy, option, value);
}
static inline CURLcode cf_set_pointer(CURL *easy, CURLoption option, void *value) {
    return (curl_easy_setopt)(easy, option, value);
}
static inline CURLcode cf_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return (curl_easy_setopt)(easy, option, value);
}
static inline CURLcode cf_set_data_callback(CURL *easy, CURLoption option, cf_data_callback value) {
    return (curl_easy_setopt)(easy, option, value);
}
static inline CURLcode cf_set_prerequest_callback(CURL *easy, CURLoption option, cf_prerequest_callback value) {
    return (curl_easy_setopt)(easy, option, value);
}
static inline CURLcode cf_get_long(CURL *easy, CURLINFO info, long *value) {
    return (curl_easy_getinfo)(easy, info, value);
}
static inline CURLcode cf_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return (curl_easy_getinfo)(easy, info, value);
}
static inline CURLcode cf_get_pointer(CURL *easy, CURLINFO info, void **value) {
    return (curl_easy_getinfo)(easy, info, value);
}
static inline CURLcode cf_get_string(CURL *easy, CURLINFO info, char **value) {
    return (curl_easy_getinfo)(easy, info, value);
}
static inline CURLMcode cf_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return (curl_multi_setopt)(multi, option, value);
}
static inline CURLSHcode cf_share_set_data(CURLSH *share, CURLSHoption option, curl_lock_data value) {
    return (curl_share_setopt)(share, option, value);
}

#endif
