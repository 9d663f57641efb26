// The files of the pages, which are part of the program, as bytes. By `#embed` and not by a resource of the package: SwiftPM would write each as a literal of
// Swift, on which the compiler spends more than on all the code beside them.
#ifndef OSTIARY_CPAGEFILES_H
#define OSTIARY_CPAGEFILES_H

#include <stddef.h>

typedef struct __attribute__((swift_attr("@Sendable"))) {
    const unsigned char *start;
    size_t count;
} ostiary_page_file __attribute__((swift_name("PageFile")));

#define OSTIARY_CPAGEFILES(ENTRY) \
    ENTRY(begin_html) ENTRY(consent_html) ENTRY(consent_js) ENTRY(device_css) ENTRY(device_html) ENTRY(device_js) ENTRY(draw_js) ENTRY(element_js) \
    ENTRY(embed_css) ENTRY(embed_js) ENTRY(enrol_css) ENTRY(enrol_html) ENTRY(enrol_js) ENTRY(foot_html) ENTRY(head_html) ENTRY(icon_svg) \
    ENTRY(link_html) ENTRY(link_js) ENTRY(login_html) ENTRY(login_js) ENTRY(logout_html) ENTRY(logout_js) ENTRY(marks_html) ENTRY(missing_html) \
    ENTRY(openapi_json) ENTRY(page_js) ENTRY(qr_js) ENTRY(refused_html) ENTRY(send_html) ENTRY(send_js) ENTRY(stale_html) ENTRY(style_css) \
    ENTRY(texts_json) ENTRY(trouble_html) ENTRY(typed_css) ENTRY(typed_js) ENTRY(view_js)

#define OSTIARY_DECLARED(name) extern const ostiary_page_file ostiary_page_file_##name __attribute__((swift_name("PageFile." #name)));
OSTIARY_CPAGEFILES(OSTIARY_DECLARED)
#undef OSTIARY_DECLARED

#endif
